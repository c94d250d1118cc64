import { Tabs } from '@base-ui/react/tabs';
import { RotateCcw, Square, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { InspectedRequest, LiveRequest } from '../../../protocol/inspector.js';
import { messageOf } from '../../api/error.js';
import { cancelInspected, inspectedRequest, replayRequest } from '../../api/inspector.js';
import { t } from '../../i18n/i18n.js';
import { useAct } from '../../shell/act.js';
import { formatDuration, formatSpeed } from '../../shell/format.js';
import { IconButton } from '../../shell/icon-button.js';
import { AnswerPart, CodePart, PromptPart, RequestPart, TimePart } from './request-parts.js';

/** How often a request that is live is read again, in milliseconds. */
const READ_MS = 1_000;

interface RequestDetailProps {
  id: string;
  /** Null once it has ended. */
  live: LiveRequest | null;
  isKept: boolean;
  onClose: () => void;
  /** With the id of the new request. */
  onReplayed: (id: string) => void;
}

/** All that is kept of one request. */
export function RequestDetail({ id, live, isKept, onClose, onReplayed }: RequestDetailProps) {
  const { detail, failure } = useDetail(id, live !== null, isKept);
  const act = useAct();
  const title = detail?.model ?? live?.model ?? t('developer.no_model');
  return (
    <section className="request-detail" aria-label={title} data-testid="request-detail">
      <header>
        <div>
          <h3 dir="auto">{title}</h3>
          <p>
            <code>{detail?.route ?? live?.route}</code>
          </p>
        </div>
        <div className="request-tools">
          {live && (
            <IconButton
              size="small"
              label={t('developer.cancel')}
              icon={<Square size={15} aria-hidden="true" />}
              disabled={live.cancelled}
              onClick={() => void act('cancel', () => cancelInspected(id))}
            />
          )}
          {detail && (
            <IconButton
              size="small"
              label={t('developer.replay_now')}
              icon={<RotateCcw size={15} aria-hidden="true" />}
              onClick={() => void act('replay', async () => onReplayed(await replayRequest(id)))}
            />
          )}
          <IconButton
            size="small"
            label={t('common.close')}
            icon={<X size={16} aria-hidden="true" />}
            onClick={onClose}
          />
        </div>
      </header>
      {detail ? (
        <>
          <Facts detail={detail} live={live} />
          <Parts detail={detail} />
        </>
      ) : (
        <p className="page-note" role="status" dir="auto">
          {failure ?? t('developer.reading')}
        </p>
      )}
    </section>
  );
}

/** Read at once, each second while it is live, and once more at its end. */
function useDetail(id: string, isLive: boolean, isKept: boolean) {
  const [detail, setDetail] = useState<InspectedRequest | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has just ended is kept a moment later
  useEffect(() => {
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        setDetail(await inspectedRequest(id, left.signal));
        setFailure(null);
      } catch (cause) {
        if (left.signal.aborted) return;
        setFailure(messageOf(cause));
      }
      if (isLive && !left.signal.aborted) timer = setTimeout(() => void read(), READ_MS);
    };
    void read();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [id, isLive, isKept]);
  return { detail, failure };
}

function Facts({ detail, live }: { detail: InspectedRequest; live: LiveRequest | null }) {
  const { end, client } = detail;
  const now = end ?? live ?? detail.live;
  return (
    <dl className="request-numbers">
      <Fact name={t('developer.fact_client')} value={client || t('developer.unknown_client')} />
      {end && <Fact name={t('developer.fact_status')} value={String(end.status)} />}
      {end?.finish_reason && <Fact name={t('developer.fact_finish')} value={end.finish_reason} />}
      {now && (
        <>
          <Fact name={t('developer.fact_prompt')} value={String(now.prompt_tokens)} />
          {end && <Fact name={t('developer.fact_cached')} value={String(end.cached_tokens)} />}
          <Fact name={t('developer.fact_output')} value={String(now.output_tokens)} />
          <Fact name={t('developer.fact_speed')} value={formatSpeed(now.tokens_per_s)} />
        </>
      )}
      {end && <Fact name={t('developer.fact_time')} value={formatDuration(end.total_ms)} />}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </div>
  );
}

const PARTS = ['answer', 'request', 'prompt', 'time', 'code'] as const;

function Parts({ detail }: { detail: InspectedRequest }) {
  return (
    <Tabs.Root defaultValue="answer">
      <Tabs.List className="tabs" aria-label={t('developer.parts')} activateOnFocus={false}>
        {PARTS.map((part) => (
          <Tabs.Tab key={part} className="tab" value={part}>
            {t(`developer.part_${part}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {detail.left_out.length > 0 && <p className="given">{t('developer.left_out')}</p>}
      <Tabs.Panel className="request-part" value="answer">
        <AnswerPart detail={detail} />
      </Tabs.Panel>
      <Tabs.Panel className="request-part" value="request">
        <RequestPart detail={detail} />
      </Tabs.Panel>
      <Tabs.Panel className="request-part" value="prompt">
        <PromptPart detail={detail} />
      </Tabs.Panel>
      <Tabs.Panel className="request-part" value="time">
        <TimePart detail={detail} />
      </Tabs.Panel>
      <Tabs.Panel className="request-part" value="code">
        <CodePart id={detail.id} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
