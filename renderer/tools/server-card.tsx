import { Pencil, RotateCw, Trash2 } from 'lucide-react';
import { useId } from 'react';
import type { McpServer, McpServerConfig, McpServerPatch } from '../../protocol/mcp.js';
import { t } from '../i18n/i18n.js';
import { IconButton } from '../shell/icon-button.js';
import { Fold } from './fold.js';
import { ToolTable } from './tool-table.js';
import { ToolText } from './tool-text.js';

interface ServerCardProps {
  server: McpServer;
  onPatch: (patch: McpServerPatch) => void;
  onRestart: () => void;
  onEdit: () => void;
  onRemove: () => void;
}

const TONES = { off: 'idle', starting: 'busy', ready: 'good', failed: 'bad' } as const;

/** One tool server: how it is, its tools, and its log. */
export function ServerCard({ server, onPatch, onRestart, onEdit, onRemove }: ServerCardProps) {
  const { id, enabled, status, problem, retry_at, tools, log } = server;
  const title = useId();
  const tone = TONES[status];
  return (
    <li className="card">
      <article className="tool-server" aria-labelledby={title} data-testid={`tool-server-${id}`}>
        <div className="card-main">
          <div className="card-title">
            <span className="dot" data-tone={tone} />
            <h3 id={title} dir="auto">
              {id}
            </h3>
          </div>
          <code className="tool-launch" dir="ltr">
            {launchOf(server.config)}
          </code>
          <p className="card-state" data-tone={tone} data-status={status} role="status">
            <span>{t(`tools.status_${status}`)}</span>
            {retry_at !== null && <span>{t('tools.retry_soon')}</span>}
          </p>
          {enabled && problem !== null && (
            <p className="card-reason" dir="auto">
              {t(`tools.problem_${problem.code}`, { detail: problem.detail ?? '' })}
            </p>
          )}
        </div>
        <div className="card-actions">
          <span className="card-tools">
            <IconButton
              size="small"
              label={t('tools.restart')}
              disabled={!enabled}
              icon={<RotateCw size={15} aria-hidden="true" />}
              onClick={onRestart}
            />
            <IconButton
              size="small"
              label={t('tools.edit')}
              icon={<Pencil size={15} aria-hidden="true" />}
              onClick={onEdit}
            />
            <IconButton
              size="small"
              label={t('tools.remove')}
              icon={<Trash2 size={15} aria-hidden="true" />}
              onClick={onRemove}
            />
          </span>
          <input
            className="switch"
            type="checkbox"
            role="switch"
            aria-checked={enabled}
            aria-label={t('tools.use', { name: id })}
            checked={enabled}
            onChange={(event) => onPatch({ enabled: event.target.checked })}
          />
        </div>
        {(tools.length > 0 || log.length > 0 || enabled) && (
          <div className="tool-folds">
            {(tools.length > 0 || status === 'ready') && (
              <Fold name={`tools/${id}`} title={t('tools.count', { n: tools.length })}>
                {tools.length > 0 && (
                  <ToolTable tools={tools} onConsent={(consent) => onPatch({ consent })} />
                )}
              </Fold>
            )}
            <Fold name={`log/${id}`} title={t('tools.log')}>
              {log.length === 0 ? (
                <p className="card-note">{t('tools.log_empty')}</p>
              ) : (
                <ToolText label={t('tools.log')} text={log.join('\n')} />
              )}
            </Fold>
          </div>
        )}
      </article>
    </li>
  );
}

/** As it would be typed, near enough to be recognized. */
function launchOf(config: McpServerConfig): string {
  if ('url' in config) return config.url;
  return [config.command, ...(config.args ?? [])]
    .map((part) => (part === '' || /\s/.test(part) ? JSON.stringify(part) : part))
    .join(' ');
}
