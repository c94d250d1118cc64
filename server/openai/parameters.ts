/**
 * What becomes of each request parameter of POST /v1/chat/completions that is not simply honoured: refused by name, or
 * accepted because it cannot change the answer. What neither list nor the schema knows is ignored and told in a header.
 */
import { chatCompletionRequestSchema } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';

type Values = Readonly<Record<string, unknown>>;

/** Cannot change the answer of a server that runs one model for one person. */
const WITHOUT_EFFECT = new Set([
  'user',
  'metadata',
  'store',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'verbosity',
]);

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** For each parameter that this version does not have: the values that ask for nothing, and so are fine. */
const UNAVAILABLE: Record<string, { allows: (value: unknown) => boolean; hint?: string }> = {
  functions: { allows: isEmptyList, hint: 'functions is what tools replaced: use tools.' },
  function_call: {
    allows: (value) => value === 'none' || value === 'auto',
    hint: 'function_call is what tool_choice replaced: use tools and tool_choice.',
  },
  modalities: {
    allows: (value) => Array.isArray(value) && value.every((item) => item === 'text'),
    hint: 'modalities can only be ["text"]: this version of Pilotlight answers with text.',
  },
  audio: { allows: () => false },
  prediction: { allows: () => false },
  web_search_options: { allows: () => false },
  moderation: { allows: () => false },
  // Promises about the answer's form from other servers' dialects; dropping one silently would break its caller.
  grammar: { allows: (value) => value === '' },
  json_schema: { allows: () => false },
  guided_json: { allows: () => false },
  guided_regex: { allows: () => false },
  guided_choice: { allows: () => false },
  guided_grammar: { allows: () => false },
  structured_outputs: { allows: () => false },
};

const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** Throws 400 with `param` for the first parameter that asks for what this version cannot do. Null asks for nothing. */
export function refuseUnavailable(values: Values): void {
  for (const [name, { allows, hint }] of Object.entries(UNAVAILABLE)) {
    const value = values[name] ?? null;
    if (value === null || allows(value)) continue;
    throw invalidRequest(
      hint ?? `"${name}" is not available in this version of Pilotlight.`,
      name,
      'unsupported_parameter',
    );
  }
}

/** `reasoning_effort`: "none" asks for an answer without reasoning; null: nothing was said. */
export function reasoningEffort(values: Values): string | null {
  const effort = values.reasoning_effort ?? null;
  if (effort === null) return null;
  if (typeof effort === 'string' && REASONING_EFFORTS.includes(effort)) return effort;
  throw invalidRequest(
    `reasoning_effort must be one of ${REASONING_EFFORTS.join(', ')}.`,
    'reasoning_effort',
  );
}

const KNOWN = new Set([
  ...Object.keys(chatCompletionRequestSchema.shape),
  ...Object.keys(UNAVAILABLE),
  ...WITHOUT_EFFECT,
  'reasoning_effort',
]);
const KNOWN_STREAM_OPTIONS = new Set(['include_usage', 'include_obfuscation']);

/** Names of the fields that had no effect because nobody knows them, such as "foo" or "stream_options.bar". */
export function ignoredFields(values: Values): string[] {
  const unknownIn = (object: unknown, known: ReadonlySet<string>, prefix = '') =>
    Object.keys(typeof object === 'object' && object !== null ? object : {})
      .filter((name) => !known.has(name))
      .map((name) => prefix + name);
  return [
    ...unknownIn(values, KNOWN),
    ...unknownIn(values.stream_options, KNOWN_STREAM_OPTIONS, 'stream_options.'),
  ];
}

/** Longest value of the header of ignored fields, in characters: clients limit headers, and names come from strangers. */
const IGNORED_HEADER_LIMIT = 1000;

/** The value of `x-pilotlight-ignored`, or null where nothing was ignored. */
export function ignoredHeader(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const text = names.map(headerSafe).join(', ');
  return text.length <= IGNORED_HEADER_LIMIT ? text : `${text.slice(0, IGNORED_HEADER_LIMIT)}...`;
}

/** Anything but plain name characters is percent-encoded, so that no name can break the header. */
function headerSafe(name: string): string {
  return name.slice(0, 200).replace(/[^\w.-]/gu, (character) => {
    const bytes = [...Buffer.from(character)];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}
