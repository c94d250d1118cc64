/** Why an answer failed, in words. Pure. */
import type { MessageKey } from '../i18n/areas.js';
import { t } from '../i18n/i18n.js';

/** What helps beside trying again. */
type Remedy = 'new-chat' | 'models' | null;

export interface FailureWords {
  title: string;
  /** What to do. */
  advice: string;
  remedy: Remedy;
}

const kinds = {
  busy: ['chat.failed_busy', 'chat.advice_busy', null],
  crashed: ['chat.failed_crashed', 'chat.advice_crashed', null],
  load: ['chat.failed_load', 'chat.advice_load', 'models'],
  memory: ['chat.failed_memory', 'chat.advice_memory', 'models'],
  model_gone: ['chat.failed_model_gone', 'chat.advice_model_gone', 'models'],
  model_invalid: ['chat.failed_model_invalid', 'chat.advice_model_invalid', 'models'],
  other: ['chat.failed_other', 'chat.advice_other', null],
  schema: ['chat.failed_schema', 'chat.advice_schema', null],
  shutting_down: ['chat.failed_shutting_down', 'chat.advice_shutting_down', null],
  too_long: ['chat.failed_too_long', 'chat.advice_too_long', 'new-chat'],
  upstream: ['chat.failed_upstream', 'chat.advice_upstream', null],
} as const satisfies Record<string, readonly [MessageKey, MessageKey, Remedy]>;

const kindOf: Record<string, keyof typeof kinds> = {
  context_length_exceeded: 'too_long',
  engine_crashed: 'crashed',
  engine_failed: 'crashed',
  invalid_grammar: 'schema',
  load_failed: 'load',
  memory_busy: 'busy',
  model_invalid: 'model_invalid',
  model_not_found: 'model_gone',
  out_of_memory: 'memory',
  queue_full: 'busy',
  shutting_down: 'shutting_down',
  template_failed: 'model_invalid',
  upstream_error: 'upstream',
  upstream_failed: 'upstream',
  upstream_refused: 'upstream',
  upstream_unreachable: 'upstream',
};

/** What the person reads about a failure with this code. */
export function failureWords(code: string): FailureWords {
  const [title, advice, remedy] =
    kinds[Object.hasOwn(kindOf, code) ? (kindOf[code] ?? 'other') : 'other'];
  return { title: t(title), advice: t(advice), remedy };
}
