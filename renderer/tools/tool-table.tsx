import type { McpTool, ToolConsent } from '../../protocol/mcp.js';
import { t } from '../i18n/i18n.js';
import { ConsentSelect } from './consent-select.js';

interface ToolTableProps {
  tools: readonly McpTool[];
  onConsent: (consent: Record<string, ToolConsent>) => void;
}

/** The tools of a server, each with whether it may be called. Their words are a stranger's: text, and nothing else. */
export function ToolTable({ tools, onConsent }: ToolTableProps) {
  const consents = new Set(tools.map(({ consent }) => consent));
  const [only] = consents;
  return (
    <ul className="tool-table">
      {tools.length > 1 && (
        <li className="tool-row" data-kind="all">
          <span className="tool-name">{t('tools.consent_all')}</span>
          <ConsentSelect
            label={t('tools.consent_all')}
            value={consents.size === 1 && only ? only : null}
            onChange={(consent) =>
              onConsent(Object.fromEntries(tools.map(({ name }) => [name, consent])))
            }
          />
        </li>
      )}
      {tools.map((tool) => (
        <ToolRow
          key={tool.name}
          tool={tool}
          onConsent={(consent) => onConsent({ [tool.name]: consent })}
        />
      ))}
    </ul>
  );
}

function ToolRow({ tool, onConsent }: { tool: McpTool; onConsent: (to: ToolConsent) => void }) {
  const { name, title, description, read_only, unusable, consent } = tool;
  return (
    <li className="tool-row" data-testid={`tool-${name}`}>
      <div className="tool-words">
        <p className="tool-title">
          <bdi className="tool-name">{title ?? name}</bdi>
          {title !== null && title !== name && <code dir="ltr">{name}</code>}
          {read_only && <span className="badge">{t('tools.read_only')}</span>}
        </p>
        {description !== '' && (
          <p className="tool-description" dir="auto" title={description}>
            {description}
          </p>
        )}
        {unusable !== null && (
          <p className="card-reason" dir="auto">
            {t('tools.unusable', { reason: unusable })}
          </p>
        )}
      </div>
      <ConsentSelect
        label={t('tools.consent_of', { tool: title ?? name })}
        value={consent}
        onChange={onConsent}
      />
    </li>
  );
}
