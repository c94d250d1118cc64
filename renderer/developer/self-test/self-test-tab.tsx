import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  LoaderCircle,
  Minus,
  Play,
  Square,
} from 'lucide-react';
import { SELF_TESTS, type SelfTestId, type SelfTestResult } from '../../../protocol/self-test.js';
import { t } from '../../i18n/i18n.js';
import { formatDuration } from '../../shell/format.js';
import { useStore } from '../../shell/use-store.js';
import type { SelfTestStore } from './self-test-store.js';

type State = SelfTestResult['status'] | 'running' | 'waiting';

const ICONS = {
  passed: CircleCheck,
  failed: CircleAlert,
  skipped: Minus,
  running: LoaderCircle,
  waiting: CircleDashed,
} as const;

/** What the server promises on the wire, tried at its own address. */
export function SelfTestTab({ store }: { store: SelfTestStore }) {
  const { status, model, test, results, failure } = useStore(store);
  const isRunning = status === 'running';
  const count = (wanted: SelfTestResult['status']) =>
    Object.values(results).filter((result) => result.status === wanted).length;
  const sum = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
  return (
    <div className="self-test">
      <div className="self-test-head">
        <div>
          <h2>{t('developer.test_title')}</h2>
          <p>{t('developer.test_text')}</p>
        </div>
        {isRunning ? (
          <button type="button" className="button" onClick={() => store.stop()}>
            <Square size={15} aria-hidden="true" />
            {t('developer.test_stop')}
          </button>
        ) : (
          <button
            type="button"
            className="button"
            data-kind="primary"
            onClick={() => void store.start()}
          >
            <Play size={15} aria-hidden="true" />
            {status === 'idle' ? t('developer.test_run') : t('developer.test_again')}
          </button>
        )}
      </div>
      <p className="self-test-sum" role="status" data-status={sum.failed > 0 ? 'failed' : status}>
        {status === 'idle' && t('developer.test_idle')}
        {isRunning &&
          t('developer.test_running', {
            done: sum.passed + sum.failed + sum.skipped,
            all: SELF_TESTS.length,
          })}
        {status === 'ended' && t('developer.test_ended', { ...sum, model: model ?? '–' })}
        {status === 'stopped' && t('developer.test_stopped')}
        {status === 'failed' && (failure ?? t('developer.test_stopped'))}
      </p>
      <ul className="tests">
        {SELF_TESTS.map((id) => {
          const result = results[id] ?? null;
          const state = result?.status ?? (test === id ? 'running' : 'waiting');
          return <Item key={id} id={id} state={state} result={result} />;
        })}
      </ul>
    </div>
  );
}

interface ItemProps {
  id: SelfTestId;
  state: State;
  result: SelfTestResult | null;
}

function Item({ id, state, result }: ItemProps) {
  const Icon = ICONS[state];
  return (
    <li data-status={state} data-testid={`test-${id}`}>
      <Icon size={18} aria-hidden="true" />
      <div>
        <h3>
          {t(`developer.check_${id}`)}
          <span className="hidden-visually">{t(`developer.state_${state}`)}</span>
        </h3>
        <p>{t(`developer.check_${id}_text`)}</p>
        {result?.detail && (
          <p className="test-detail" dir="auto">
            {result.detail}
          </p>
        )}
      </div>
      {result && result.status !== 'skipped' && (
        <span className="test-time">{formatDuration(result.ms)}</span>
      )}
    </li>
  );
}
