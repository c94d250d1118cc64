import { ArrowLeftRight, X } from 'lucide-react';
import { memo, useRef } from 'react';
import { cancelInspected } from '../../api/inspector.js';
import { currentLanguage, t } from '../../i18n/i18n.js';
import { useLanguage } from '../../i18n/use-language.js';
import { useAct } from '../../shell/act.js';
import { EmptyState } from '../../shell/empty-state.js';
import { formatDuration, formatPercent, formatSpeed } from '../../shell/format.js';
import { IconButton } from '../../shell/icon-button.js';
import { useRoving } from '../../shell/use-roving.js';
import type { RequestRow } from './request-rows.js';

interface RequestListProps {
  rows: readonly RequestRow[];
  /** Ids of those that are looked at. */
  chosen: readonly string[];
  isFiltered: boolean;
  isInspected: boolean;
  onChoose: (id: string) => void;
}

/** Live requests first, then those that have ended, the latest first. */
export function RequestList(props: RequestListProps) {
  const { rows, chosen, isFiltered, isInspected, onChoose } = props;
  const list = useRef<HTMLUListElement>(null);
  const { active, setActive, onKeyDown } = useRoving(
    list,
    rows.map(({ id }) => id),
  );
  if (rows.length === 0) {
    return (
      <EmptyState
        icon={ArrowLeftRight}
        title={isFiltered ? t('developer.requests_no_match') : t('developer.requests_none')}
        text={
          isFiltered
            ? t('developer.requests_no_match_text')
            : isInspected
              ? t('developer.requests_none_text')
              : t('developer.requests_none_off')
        }
      />
    );
  }
  return (
    <ul className="request-rows" ref={list} onKeyDown={onKeyDown}>
      {rows.map((row) => (
        <Row
          key={row.id}
          row={row}
          isChosen={chosen.includes(row.id)}
          isActive={row.id === active}
          onFocus={() => setActive(row.id)}
          onChoose={() => onChoose(row.id)}
        />
      ))}
    </ul>
  );
}

interface RowProps {
  row: RequestRow;
  isChosen: boolean;
  isActive: boolean;
  onFocus: () => void;
  onChoose: () => void;
}

const Row = memo(function Row({ row, isChosen, isActive, onFocus, onChoose }: RowProps) {
  useLanguage();
  const act = useAct();
  const isLive = row.stage !== null;
  const time = new Date(row.beganAt).toLocaleTimeString(currentLanguage(), { hour12: false });
  return (
    <li className="request-row" data-tone={toneOf(row)} data-testid={isLive ? 'live' : 'kept'}>
      <button
        type="button"
        className="request-open"
        data-roving={row.id}
        tabIndex={isActive ? 0 : -1}
        aria-current={isChosen}
        onFocus={onFocus}
        onClick={onChoose}
      >
        <span className="request-head">
          <span className="request-state">{stateOf(row)}</span>
          <strong dir="auto">{row.model ?? t('developer.no_model')}</strong>
          <time dateTime={new Date(row.beganAt).toISOString()}>{time}</time>
        </span>
        <span className="request-facts">
          <code>{row.route}</code>
          <span dir="auto">{row.client === '' ? t('developer.unknown_client') : row.client}</span>
          {row.isReplay && <span>{t('developer.replay')}</span>}
          <span>
            {t('developer.tokens', { prompt: row.promptTokens, output: row.outputTokens })}
          </span>
          {row.tokensPerSecond > 0 && <span>{formatSpeed(row.tokensPerSecond)}</span>}
          {row.totalMs !== null && <span>{formatDuration(row.totalMs)}</span>}
        </span>
      </button>
      {isLive && (
        <IconButton
          size="small"
          label={t('developer.cancel')}
          icon={<X size={15} aria-hidden="true" />}
          disabled={row.cancelled}
          onClick={() => void act('cancel', () => cancelInspected(row.id))}
        />
      )}
    </li>
  );
});

function toneOf({ stage, status, cancelled }: RequestRow): 'live' | 'good' | 'bad' | 'plain' {
  if (stage !== null) return 'live';
  if (cancelled) return 'plain';
  return status !== null && status >= 200 && status < 400 ? 'good' : 'bad';
}

function stateOf({ stage, progress, ahead, cancelled, status }: RequestRow): string {
  if (cancelled) return t('developer.state_cancelled');
  if (stage === null) return status === 0 ? t('developer.state_no_answer') : String(status);
  if (stage === 'queued' && ahead !== null && ahead > 0) {
    return t('developer.stage_queued_behind', { count: ahead });
  }
  const name = t(`developer.stage_${stage}`);
  return progress === null ? name : `${name} ${formatPercent(progress)}`;
}
