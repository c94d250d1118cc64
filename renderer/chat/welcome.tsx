import type { ModelEntry, ServerState } from '../../protocol/models.js';
import { apiBase } from '../api/http.js';
import { FolderPath, OpenFolder } from '../models/add-model.js';
import { hasUsableModel, placeSentence } from '../models/model-state.js';
import { CopyIconButton } from '../shell/copy-button.js';
import { Flame } from '../shell/flame.js';

/** The built-in model knows about Pilotlight and little else. */
const builtInStarters = [
  'What can you do?',
  'How do I add a model?',
  'Connect my program to the API',
  'Is my data private?',
];

const starters = [
  'Explain how rainbows form',
  'Write a haiku about autumn',
  'Plan a quiet weekend',
  'Sort a list in Python',
];

/** The greeting of an empty chat. */
export function Welcome({
  server,
  model,
}: {
  server: ServerState | null;
  model: ModelEntry | null;
}) {
  return (
    <div className="column welcome">
      <Flame size={44} />
      <h1>{greeting(server, model)}</h1>
      {model?.reason && (
        <p className="welcome-reason" role="alert">
          {model.reason}
        </p>
      )}
      {model && !model.reason && <p>{placeSentence(model)}</p>}
    </div>
  );
}

function greeting(server: ServerState | null, model: ModelEntry | null): string {
  if (!server || model) return 'What would you like to know?';
  return hasUsableModel(server) ? 'Pick a model to begin' : 'Add a model to begin';
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
          <ul className="chips" aria-label="Suggestions">
            {(model.built_in ? builtInStarters : starters).map((text) => (
              <li key={text}>
                <button
                  type="button"
                  className="chip"
                  disabled={disabled}
                  onClick={() => onPick(text)}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
        )}
        {server && !model && !hasUsableModel(server) && server.models_dir !== null && (
          <div className="no-model">
            <p>Put a .gguf file into the models folder; it appears by itself.</p>
            <FolderPath folder={server.models_dir} />
            <OpenFolder onFailed={onFolderFailed} />
          </div>
        )}
        {endpoint && (
          <div className="endpoint">
            <span>API for your programs</span>
            <code>{endpoint}</code>
            <CopyIconButton text={endpoint} label="Copy API address" />
          </div>
        )}
      </div>
    </div>
  );
}
