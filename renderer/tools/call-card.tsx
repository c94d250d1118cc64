import { Ban, CircleAlert, CircleCheck, CircleHelp, Wrench } from 'lucide-react';
import { useId, useState } from 'react';
import type { MessagePart } from '../../protocol/chats.js';
import type { ToolDecision } from '../../protocol/mcp.js';
import { t } from '../i18n/i18n.js';
import { formatDuration } from '../shell/format.js';
import { prettyArguments } from './call-arguments.js';
import { Fold } from './fold.js';
import { ToolText } from './tool-text.js';

type ToolCall = Extract<MessagePart, { type: 'tool_call' }>;

type Decide = (decision: ToolDecision['decision']) => Promise<boolean>;

interface CallCardProps {
  call: ToolCall;
  /** Gives whether it worked. */
  onDecide: Decide;
}

const ICONS = {
  writing: Wrench,
  waiting: CircleHelp,
  running: Wrench,
  done: CircleCheck,
  failed: CircleAlert,
  refused: Ban,
} as const;

/** A call of a tool: what it is asked, whether it may be, and what came of it. */
export function CallCard({ call, onDecide }: CallCardProps) {
  const { state, tool, server, result, reason, ms } = call;
  const title = useId();
  const Icon = ICONS[state];
  const words = prettyArguments(call.arguments);
  const isWriting = state === 'writing';
  return (
    <section
      className="tool-call"
      aria-labelledby={title}
      data-state={state}
      data-testid="tool-call"
    >
      <div className="tool-call-head">
        <Icon className="tool-call-icon" size={17} aria-hidden="true" />
        <p id={title} className="tool-call-title">
          {t(`tools.call_${isWriting ? 'running' : state}`, { tool: isolated(tool) })}
        </p>
        <p className="tool-call-facts">
          {server !== '' && <bdi>{server}</bdi>}
          {ms !== null && <span>{formatDuration(ms)}</span>}
        </p>
      </div>
      {reason !== null && (
        <p className="tool-call-note" data-tone={state === 'failed' ? 'bad' : undefined}>
          {t(`tools.reason_${reason}`)}
        </p>
      )}
      {state === 'waiting' ? (
        <>
          {words === null ? (
            <p className="tool-call-note">{t('tools.no_arguments')}</p>
          ) : (
            <ToolText label={t('tools.arguments')} text={words} />
          )}
          <Decision onDecide={onDecide} />
        </>
      ) : (
        <div className="tool-folds">
          {words !== null && !isWriting && (
            <Fold name={`${call.id}/arguments`} title={t('tools.arguments')}>
              <ToolText label={t('tools.arguments')} text={words} />
            </Fold>
          )}
          {result !== null && result !== '' && (state === 'done' || state === 'failed') && (
            <Fold name={`${call.id}/result`} title={t('tools.result')}>
              <ToolText label={t('tools.result')} text={result} />
            </Fold>
          )}
        </div>
      )}
    </section>
  );
}

const DECISIONS = [
  { decision: 'once', title: 'tools.allow_once' },
  { decision: 'chat', title: 'tools.allow_chat' },
  { decision: 'always', title: 'tools.allow_always' },
  { decision: 'refuse', title: 'tools.refuse' },
] as const;

function Decision({ onDecide }: { onDecide: Decide }) {
  const [isSent, setIsSent] = useState(false);
  const decide = async (decision: ToolDecision['decision']) => {
    setIsSent(true);
    if (!(await onDecide(decision))) setIsSent(false);
  };
  return (
    <fieldset className="tool-call-decision" disabled={isSent}>
      <legend className="tool-call-note">{t('tools.call_hint')}</legend>
      <div className="tool-call-actions">
        {DECISIONS.map(({ decision, title }) => (
          <button
            key={decision}
            type="button"
            className="button"
            data-kind={decision === 'once' ? 'primary' : undefined}
            data-testid={`tool-${decision}`}
            onClick={() => void decide(decision)}
          >
            {t(title)}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

/** A stranger's word in a sentence of ours, whichever way it is written: it turns nothing around it. */
const isolated = (word: string) => `\u2068${word}\u2069`;
