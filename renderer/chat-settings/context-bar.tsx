import type { AnswerMessage } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';
import { Hint } from '../shell/icon-button.js';

/** From this share on the person should know that the end is near. */
const NEAR = 0.85;

/** How much of the model's context the chat takes: its last prompt and the answer to it. Nothing before the first answer. */
export function ContextBar({ answer }: { answer: AnswerMessage | null }) {
  const measure = answer?.measure;
  if (!measure?.context_size) return null;
  const size = measure.context_size;
  const used = Math.min(size, measure.prompt_tokens + measure.output_tokens);
  const text = t('chat_settings.context_used', { used, size });
  const isNear = used / size >= NEAR;
  return (
    <Hint label={isNear ? `${text} ${t('chat_settings.context_near')}` : text}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its hint says more than its picture */}
      <span className="context-bar" data-near={isNear || undefined} tabIndex={0}>
        <meter
          min={0}
          max={size}
          value={used}
          aria-label={t('chat_settings.context')}
          aria-valuetext={text}
          data-testid="context-bar"
        />
        <span aria-hidden="true" style={{ inlineSize: `${(100 * used) / size}%` }} />
      </span>
    </Hint>
  );
}
