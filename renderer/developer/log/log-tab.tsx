import { ArrowDown, Check, CloudOff, Copy, FolderOpen, Pause, Play } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { LogLine } from '../../../protocol/serving.js';
import { desktop } from '../../api/bridge.js';
import { useStickToEnd } from '../../chat/use-stick-to-end.js';
import { currentLanguage, t } from '../../i18n/i18n.js';
import { useAct } from '../../shell/act.js';
import { EmptyState } from '../../shell/empty-state.js';
import { SearchField } from '../../shell/search-field.js';
import { SelectField } from '../../shell/select-field.js';
import { useCopy } from '../../shell/use-copy.js';
import { useStore } from '../../shell/use-store.js';
import { fieldsText, type Level, LogStore, lineText, matching } from './log-store.js';

/** The server's log as it is written. */
export function LogTab() {
  const [store] = useState(() => new LogStore());
  const { lines, paused, waiting, trouble } = useStore(store);
  const [least, setLeast] = useState<Level>('info');
  const [words, setWords] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLOListElement>(null);
  const { away, toEnd } = useStickToEnd(scroller, content);
  const act = useAct();
  useEffect(() => {
    const left = new AbortController();
    store.follow(left.signal);
    return () => left.abort();
  }, [store]);
  const shown = useMemo(
    () => (lines === null ? null : matching(lines, least, words)),
    [lines, least, words],
  );
  const { state: copied, copy } = useCopy(shown?.map(lineText).join('\n') ?? '');

  if (lines === null && trouble?.kind === 'refused') {
    return (
      <EmptyState icon={CloudOff} title={t('developer.log_failed')} text={trouble.message} failed />
    );
  }
  return (
    <div className="log">
      <h2 className="hidden-visually">{t('developer.tab_log')}</h2>
      <div className="toolbar">
        <SearchField label={t('developer.log_search')} value={words} onChange={setWords} />
        <SelectField
          label={t('developer.log_level')}
          value={least}
          options={[
            { value: 'info', label: t('developer.log_all') },
            { value: 'warn', label: t('developer.log_warn') },
            { value: 'error', label: t('developer.log_error') },
          ]}
          onChange={setLeast}
        />
        <button
          type="button"
          className="button"
          aria-pressed={paused}
          onClick={() => store.pause(!paused)}
        >
          {paused ? <Play size={15} aria-hidden="true" /> : <Pause size={15} aria-hidden="true" />}
          {paused ? t('developer.log_resume', { count: waiting }) : t('developer.log_pause')}
        </button>
        <button type="button" className="button" onClick={copy}>
          {copied === 'copied' ? (
            <Check size={15} aria-hidden="true" />
          ) : (
            <Copy size={15} aria-hidden="true" />
          )}
          <span aria-live="polite">
            {copied === 'copied' ? t('developer.log_copied') : t('common.copy')}
          </span>
        </button>
        {desktop && (
          <button
            type="button"
            className="button"
            onClick={() => void act('log-folder', async () => desktop?.showLog())}
          >
            <FolderOpen size={15} aria-hidden="true" />
            {t('developer.log_folder')}
          </button>
        )}
      </div>
      <div className="log-frame">
        <div
          className="log-lines"
          ref={scroller}
          role="log"
          aria-live="off"
          aria-label={t('developer.tab_log')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          tabIndex={0}
        >
          <ol ref={content}>
            {shown?.map((line) => (
              <Line key={line.n} line={line} />
            ))}
          </ol>
          {shown === null && <p className="page-note">{t('developer.log_reading')}</p>}
          {shown?.length === 0 && <p className="page-note">{t('developer.log_nothing')}</p>}
        </div>
        {away && (
          <button type="button" className="button log-end" data-size="small" onClick={toEnd}>
            <ArrowDown size={15} aria-hidden="true" />
            {t('developer.log_latest')}
          </button>
        )}
      </div>
      {trouble && (
        <p className="setting-failure" role="status" dir="auto">
          {trouble.message}
        </p>
      )}
    </div>
  );
}

const Line = memo(function Line({ line }: { line: LogLine }) {
  const { level, message, fields, time } = line;
  return (
    <li data-level={level}>
      <time dateTime={time}>{clock(time)}</time>
      <span className="log-level">{level}</span>
      <span className="log-message">{message}</span>
      <span className="log-fields">{fieldsText(fields)}</span>
    </li>
  );
});

function clock(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return date.toLocaleTimeString(currentLanguage(), { hour12: false });
}
