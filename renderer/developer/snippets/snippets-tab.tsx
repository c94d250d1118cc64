import { useEffect, useState } from 'react';
import type { ServerState } from '../../../protocol/models.js';
import type { MadeApiKey, ServingInfo } from '../../../protocol/serving.js';
import { servingInfo } from '../../api/serving.js';
import { t } from '../../i18n/i18n.js';
import { CodeBlock } from '../../markdown/code-block.js';
import { CopyIconButton } from '../../shell/copy-button.js';
import { ResourceStore } from '../../shell/resource-store.js';
import { SelectField } from '../../shell/select-field.js';
import { useStore } from '../../shell/use-store.js';
import { CLIENTS } from './snippets.js';

interface SnippetsTabProps {
  server: ServerState | null;
  made: MadeApiKey | null;
}

/** How a client is told of this server: its address, a model and a key, ready to be copied. */
export function SnippetsTab({ server, made }: SnippetsTabProps) {
  const [store] = useState(() => new ResourceStore<ServingInfo>(servingInfo));
  const { value: info } = useStore(store);
  const [chosen, setChosen] = useState(CLIENTS[0]?.id ?? '');
  const url = server?.url ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read depends on where the server is
  useEffect(() => void store.load(), [store, url]);
  const [address, setAddress] = useState<string | null>(null);
  const [model, setModel] = useState<string | null>(null);

  const urls = info?.urls ?? [location.origin];
  const own = urls.at(-1) ?? location.origin;
  const at = address !== null && urls.includes(address) ? address : own;
  const models = (server?.models ?? []).filter(
    ({ kind, status }) => kind === 'generative' && status !== 'invalid',
  );
  const id = models.find((entry) => entry.id === model)?.id ?? server?.current_model ?? 'guide';
  const needsKey = info?.keys_needed ?? false;
  const key = made?.key ?? (needsKey ? 'YOUR_KEY' : 'local');
  const client = CLIENTS.find((each) => each.id === chosen) ?? CLIENTS[0];
  if (!client) return null;
  return (
    <div className="snippets">
      <h2 className="hidden-visually">{t('developer.tab_snippets')}</h2>
      <nav className="clients" aria-label={t('developer.clients')}>
        {CLIENTS.map(({ id: each, name }) => (
          <button
            key={each}
            type="button"
            className="client"
            aria-current={each === client.id}
            onClick={() => setChosen(each)}
          >
            {name}
          </button>
        ))}
      </nav>
      <div className="snippet">
        <div className="toolbar">
          <SelectField
            label={t('developer.snippet_model')}
            value={id}
            options={
              models.length === 0
                ? [{ value: id, label: id }]
                : models.map((entry) => ({ value: entry.id, label: entry.name }))
            }
            onChange={setModel}
          />
          {urls.length > 1 && (
            <SelectField
              label={t('developer.snippet_address')}
              value={at}
              options={urls.map((each) => ({ value: each, label: each }))}
              onChange={setAddress}
            />
          )}
        </div>
        {client.install !== null && (
          <div className="copy-field">
            <code>{client.install}</code>
            <CopyIconButton text={client.install} label={t('developer.snippet_copy_install')} />
          </div>
        )}
        <CodeBlock
          key={client.id}
          code={client.code({ url: at, model: id, key }).trimEnd()}
          language={client.language}
        />
        <p className="field-hint">
          {made
            ? t('developer.snippet_key_made', { name: made.name })
            : needsKey
              ? t('developer.snippet_key_needed', { placeholder: 'YOUR_KEY' })
              : t('developer.snippet_key_none')}
        </p>
      </div>
    </div>
  );
}
