import { Menu } from '@base-ui/react/menu';
import { Check, Wrench } from 'lucide-react';
import type { ModelEntry } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import { Hint } from '../shell/icon-button.js';
import { toolCount, toolsOn } from './chat-tool-list.js';
import { useToolServers } from './use-tool-servers.js';

interface ChatToolsProps {
  /** Of the server's state. */
  changes: number | null;
  model: ModelEntry | null;
  /** Ids of the servers whose tools may be called; null: all that are switched on. */
  chosen: readonly string[] | null;
  onChoose: (chosen: string[] | null) => void;
  onManage: () => void;
}

/** How many tools the chat's model may call, and which servers' they are. */
export function ChatTools({ changes, model, chosen, onChoose, onManage }: ChatToolsProps) {
  const { value } = useToolServers(changes);
  const servers = (value ?? []).filter(({ enabled }) => enabled);
  const cannot = model !== null && !model.capabilities.includes('tools');
  const n = cannot ? 0 : toolCount(servers, chosen);
  // Whoever has no tools is not shown a button for them.
  if (servers.length === 0) return null;
  return (
    <Menu.Root modal={false}>
      <Hint label={t('tools.chat_tools')}>
        <Menu.Trigger className="composer-tools" data-testid="chat-tools">
          <Wrench size={16} aria-hidden="true" />
          <span className="hidden-visually">
            {t('tools.chat_tools')}: {t('tools.count', { n })}
          </span>
          <span aria-hidden="true">{n}</span>
        </Menu.Trigger>
      </Hint>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="start" side="top" collisionPadding={8}>
          <Menu.Popup className="menu" data-size="small">
            <div className="menu-scroll">
              <p className="menu-label">{t(cannot ? 'tools.chat_cannot' : 'tools.chat_tools')}</p>
              {servers.map(({ id, tools, status }) => (
                <Menu.CheckboxItem
                  key={id}
                  className="menu-item"
                  data-plain=""
                  checked={chosen === null || chosen.includes(id)}
                  closeOnClick={false}
                  onCheckedChange={(on) => onChoose(toolsOn(servers, chosen, id, on))}
                >
                  <span>
                    <Menu.CheckboxItemIndicator className="menu-check">
                      <Check size={16} aria-hidden="true" />
                    </Menu.CheckboxItemIndicator>
                  </span>
                  <bdi className="model-name">{id}</bdi>
                  <span className="model-detail">
                    {status === 'ready'
                      ? t('tools.count', { n: tools.length })
                      : t(`tools.status_${status}`)}
                  </span>
                </Menu.CheckboxItem>
              ))}
              <div className="menu-line" />
              <Menu.Item className="menu-item" data-plain="" onClick={onManage}>
                <Wrench size={16} aria-hidden="true" />
                <span>{t('tools.manage')}</span>
              </Menu.Item>
            </div>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
