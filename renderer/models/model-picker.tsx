import { Menu } from '@base-ui/react/menu';
import { Check, ChevronDown, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ModelEntry, ServerState } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import { sourceWords } from '../installed/model-words.js';
import { formatBytes, formatCount } from '../shell/format.js';
import { useCommand } from '../shell/use-command.js';
import { LoadingBar } from './loading-bar.js';
import { canAnswer, currentModel, hasOwnId, modelState, type StateWords } from './model-state.js';

const unreachable = (): StateWords => ({ tone: 'idle', text: t('models.not_connected') });

interface ModelPickerProps {
  server: ServerState | null;
  /** False while the server does not answer: what it said last may be out of date. */
  online: boolean;
  onPick: (model: string) => void;
  onAdd: () => void;
}

/** Shows the model that answers and its state; opens the list of all of them. */
export function ModelPicker({ server, online, onPick, onAdd }: ModelPickerProps) {
  const [open, setOpen] = useState(false);
  useCommand('pick-model', server ? () => setOpen(true) : null);
  const current = currentModel(server);
  const state = current ? (online ? modelState(current) : unreachable()) : null;
  const name = current?.name ?? (server ? t('models.none') : 'Pilotlight');
  return (
    <Menu.Root modal={false} open={open} onOpenChange={setOpen}>
      <Menu.Trigger
        className="picker"
        data-testid="model-picker"
        data-tone={state?.tone}
        disabled={!server}
      >
        <span className="hidden-visually">{t('models.picker')} </span>
        {state && <span className="dot" data-tone={state.tone} />}
        <span className="picker-name">{name}</span>
        {state && <span className="picker-state">{state.text}</span>}
        {server && <ChevronDown size={16} aria-hidden="true" />}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="start" collisionPadding={8}>
          <Menu.Popup className="menu">
            <Menu.RadioGroup
              className="menu-scroll"
              value={server?.current_model ?? null}
              onValueChange={(model: string) => onPick(model)}
            >
              <Menu.GroupLabel className="menu-label">
                {t(server?.models.length ? 'models.title' : 'models.none_yet')}
              </Menu.GroupLabel>
              {server?.models.map((model) => (
                <ModelOption
                  key={model.id}
                  model={model}
                  isCurrent={model.id === server.current_model}
                />
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item" data-plain="" onClick={onAdd}>
              <Plus size={16} aria-hidden="true" />
              <span>{t('models.add')}</span>
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** A long list opens where the current model is. */
function reveal(item: HTMLElement | null): void {
  item?.scrollIntoView({ block: 'nearest' });
}

function ModelOption({ model, isCurrent }: { model: ModelEntry; isCurrent: boolean }) {
  const state = modelState(model);
  const context = model.context_length;
  const detail = [
    model.size_bytes > 0 ? formatBytes(model.size_bytes) : sourceWords(model),
    ...(context === null ? [] : [t('models.context_tokens', { tokens: formatCount(context) })]),
    state.text,
  ];
  return (
    <Menu.RadioItem
      ref={isCurrent ? reveal : undefined}
      className="menu-item"
      value={model.id}
      label={model.name}
      disabled={!canAnswer(model)}
      closeOnClick
      data-testid={`model-option-${model.id}`}
    >
      <span className="dot" data-tone={canAnswer(model) ? state.tone : 'idle'} />
      <span>
        <span className="model-line">
          <span className="model-name" title={model.name}>
            {model.name}
          </span>
          {model.built_in && <span className="badge">{t('models.built_in')}</span>}
        </span>
        {hasOwnId(model) && (
          <span className="model-id">
            <span className="hidden-visually">{t('models.for_programs')} </span>
            {model.id}
          </span>
        )}
        <span className="model-detail">{detail.join(' · ')}</span>
        {model.reason && (
          <div className="model-detail" data-tone="bad">
            {model.reason}
          </div>
        )}
        {model.status === 'loading' && <LoadingBar fraction={model.progress} />}
      </span>
      <Menu.RadioItemIndicator className="menu-check">
        <Check size={16} aria-hidden="true" />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  );
}
