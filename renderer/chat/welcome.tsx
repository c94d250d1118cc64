import type { ModelEntry, ServerState } from '../../protocol/models.js';
import { apiBase } from '../api/http.js';
import { t } from '../i18n/i18n.js';
import { FolderPath, OpenFolder } from '../models/add-model.js';
import { hasUsableModel, isOfThisMachine, placeSentence } from '../models/model-state.js';
import { CopyIconButton } from '../shell/copy-button.js';
import { Flame } from '../shell/flame.js';
import { useToolServers } from '../tools/use-tool-servers.js';

/** The built-in model knows about Pilotlight and little else. */
const builtInStarters = [
  'chat.ask_guide_what',
  'chat.ask_guide_model',
  'chat.ask_guide_api',
  'chat.ask_guide_private',
] as const;

const starters = [
  'chat.ask_rainbow',
  'chat.ask_haiku',
  'chat.ask_weekend',
  'chat.ask_python',
] as const;

/** The greeting of an empty chat. */
export function Welcome({
  server,
  model,
}: {
  server: ServerState | null;
  model: ModelEntry | null;
}) {
  const { value: servers } = useToolServers(server?.tool_changes ?? null);
  const hasTools = servers?.some(({ enabled }) => enabled) === true;
  // What a tool does with what it is given, nobody here can promise.
  const mayLeave =
    hasTools && model?.capabilities.includes('tools') === true && isOfThisMachine(model);
  return (
    <div className="column welcome">
      <Flame size={44} />
      <h1>{greeting(server, model)}</h1>
      {model?.reason && (
        <p className="welcome-reason" role="alert">
          {model.reason}
        </p>
      )}
      {model && !model.reason && (
        <p>{mayLeave ? t('tools.place', { model: model.name }) : placeSentence(model)}</p>
      )}
    </div>
  );
}

function greeting(server: ServerState | null, model: ModelEntry | null): string {
  if (!server || model) return t('chat.greeting');
  return hasUsableModel(server) ? t('chat.greeting_pick') : t('chat.greeting_add');
}

interface StartersProps {
  server: ServerState | null;
  model: ModelEntry | null;
  disabled: boolean;
  onPick: (text: string) => void;
  onFolderFailed: () => void;
}

/** Below the composer of an empty chat: what one could ask, or how to get a model; the address for programs. */
export function Starters({ server, model, disabled, onPick, onFolderFailed }: StartersProps) {
  const endpoint = server ? apiBase() : null;
  return (
    <div className="starters">
      <div className="column">
        {model && (
          <ul className="chips" aria-label={t('chat.suggestions')}>
            {(model.built_in ? builtInStarters : starters).map((key) => (
              <li key={key}>
                <button
                  type="button"
                  className="chip"
                  disabled={disabled}
                  onClick={() => onPick(t(key))}
                >
                  {t(key)}
                </button>
              </li>
            ))}
          </ul>
        )}
        {server && !model && !hasUsableModel(server) && server.models_dir !== null && (
          <div className="no-model">
            <p>{t('chat.put_model')}</p>
            <FolderPath folder={server.models_dir} />
            <OpenFolder onFailed={onFolderFailed} />
          </div>
        )}
        {endpoint && (
          <div className="endpoint">
            <span>{t('chat.api')}</span>
            <code>{endpoint}</code>
            <CopyIconButton text={endpoint} label={t('chat.copy_api')} />
          </div>
        )}
      </div>
    </div>
  );
}
