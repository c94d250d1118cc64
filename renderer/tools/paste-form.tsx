import { Check, TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import type { McpCheck, McpEntry, McpServerConfig } from '../../protocol/mcp.js';
import { messageOf } from '../api/error.js';
import { checkToolText } from '../api/mcp.js';
import { t } from '../i18n/i18n.js';
import { CodeArea, Field } from './server-fields.js';

/** Milliseconds without a key after which the text is read. */
const PAUSE_MS = 200;

const EXAMPLE = `{
  "mcpServers": {
    "files": { "command": "npx", "args": ["…"] }
  }
}`;

interface PasteFormProps {
  onSave: (configs: Record<string, McpServerConfig>) => void;
  failure: string | null;
  /** The button beside the one that adds. */
  cancel: ReactNode;
}

/** Takes the configuration of another app, and says of each server in it whether it can be used. */
export function PasteForm({ onSave, failure, cancel }: PasteFormProps) {
  const [text, setText] = useState('');
  const { check, failure: unread } = useCheck(text);
  const entries = check?.entries ?? [];
  const usable = entries.filter((entry) => entry.config !== null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(
      Object.fromEntries(
        usable.flatMap(({ name, config }) => (config === null ? [] : [[name, config]])),
      ),
    );
  };
  const problem = failure ?? unread ?? (check?.problem ? t(`tools.bad_${check.problem}`) : null);
  return (
    <form className="dialog-form" onSubmit={submit}>
      <Field label={t('tools.paste_label')} hint={t('tools.paste_hint')}>
        <CodeArea rows={9} placeholder={EXAMPLE} value={text} onChange={setText} />
      </Field>
      <div aria-live="polite">
        {problem !== null && (
          <p className="field-error" dir="auto">
            {problem}
          </p>
        )}
        {entries.length > 0 && (
          <ul className="paste-entries" aria-label={t('tools.paste_found')}>
            {entries.map((entry) => (
              <PastedEntry key={entry.name} entry={entry} />
            ))}
          </ul>
        )}
      </div>
      <div className="dialog-actions">
        {cancel}
        <button type="submit" className="button" data-kind="primary" disabled={usable.length === 0}>
          {t('tools.add_count', { n: usable.length })}
        </button>
      </div>
    </form>
  );
}

function PastedEntry({ entry }: { entry: McpEntry }) {
  const { name, problem, detail, replaces } = entry;
  const note =
    problem !== null
      ? t(`tools.bad_${problem}`, { detail: detail ?? '' })
      : replaces
        ? t('tools.replaces')
        : null;
  const Icon = problem === null ? Check : TriangleAlert;
  return (
    <li data-tone={problem === null ? 'good' : 'bad'}>
      <Icon size={16} aria-hidden="true" />
      <div>
        <bdi>{name}</bdi>
        {note !== null && <p dir="auto">{note}</p>}
      </div>
    </li>
  );
}

/** What the server reads in it, a moment after the last key. */
function useCheck(text: string): { check: McpCheck | null; failure: string | null } {
  const [read, setRead] = useState<{ check: McpCheck | null; failure: string | null }>({
    ...{ check: null, failure: null },
  });
  const isEmpty = text.trim() === '';
  useEffect(() => {
    if (isEmpty) {
      setRead({ check: null, failure: null });
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      checkToolText(text, abort.signal).then(
        (check) => setRead({ check, failure: null }),
        (cause: unknown) => {
          if (!abort.signal.aborted) setRead({ check: null, failure: messageOf(cause) });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, isEmpty]);
  return read;
}
