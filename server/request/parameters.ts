/**
 * What becomes of each request parameter that is not simply honoured: refused by name, or
 * accepted because it cannot change the answer. What neither list nor the schema knows is ignored and told in a header.
 */
import type { Response } from 'express';
import { completionRequestSchema } from '../../protocol/completions.js';
import { chatCompletionRequestSchema } from '../../protocol/openai.js';
import type { GenerationInput } from '../generation/generation.js';
import { invalidRequest } from '../http/errors.js';
import { factsOf } from '../http/request-log.js';
import type { LibraryModel } from '../library/model.js';

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

/** Values that ask for nothing, and so are fine; what the refusal of others says. */
export interface Unavailable {
  allows: (value: unknown) => boolean;
  hint?: string;
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

const nothing = () => false;

/** Promises about the answer's form from other servers' dialects; dropping one silently would break its caller. */
export const OTHER_DIALECTS: Record<string, Unavailable> = {
  grammar: { allows: (value) => value === '' },
  json_schema: { allows: nothing },
  guided_json: { allows: nothing },
  guided_regex: { allows: nothing },
  guided_choice: { allows: nothing },
  guided_grammar: { allows: nothing },
  structured_outputs: { allows: nothing },
};

const CHAT_UNAVAILABLE: Record<string, Unavailable> = {
  ...OTHER_DIALECTS,
  functions: { allows: isEmptyList, hint: 'functions is what tools replaced: use tools.' },
  function_call: {
    allows: (value) => value === 'none' || value === 'auto',
    hint: 'function_call is what tool_choice replaced: use tools and tool_choice.',
  },
  modalities: {
    allows: (value) => Array.isArray(value) && value.every((item) => item === 'text'),
    hint: 'modalities can only be ["text"]: this version of Pilotlight answers with text.',
  },
  audio: { allows: nothing },
  prediction: { allows: nothing },
  web_search_options: { allows: nothing },
  moderation: { allows: nothing },
};

const COMPLETION_UNAVAILABLE: Record<string, Unavailable> = {
  ...OTHER_DIALECTS,
  best_of: {
    allows: (value) => value === 1,
    hint: 'best_of can only be 1: every answer that is generated is given; ask for several with n.',
  },
  suffix: {
    allows: (value) => value === '',
    hint: 'suffix is not available: this server writes on at the end of the prompt only.',
  },
};

const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

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

const STREAM_OPTIONS = ['include_usage', 'include_obfuscation'];

/** What one route does with the parameters that it does not simply honour. */
export class Parameters {
  private readonly known: ReadonlySet<string>;

  constructor(
    honoured: readonly string[],
    private readonly unavailable: Readonly<Record<string, Unavailable>> = {},
    /** Of fields in an object of the request: how their names begin, such as "sampling_params." */
    private readonly prefix = '',
    private readonly streamOptions: readonly string[] = STREAM_OPTIONS,
  ) {
    this.known = new Set([...honoured, ...Object.keys(unavailable), ...WITHOUT_EFFECT]);
  }

  /** Throws 400 with `param` for the first one that asks for what this version cannot do. Null asks for nothing. */
  refuse(values: Values): void {
    for (const [name, { allows, hint }] of Object.entries(this.unavailable)) {
      const value = values[name] ?? null;
      if (value === null || allows(value)) continue;
      throw invalidRequest(
        hint ?? `"${this.prefix}${name}" is not available in this version of Pilotlight.`,
        this.prefix + name,
        'unsupported_parameter',
      );
    }
  }

  /** Names of the fields that had no effect because nobody knows them, such as "foo" or "stream_options.bar". */
  ignored(values: Values): string[] {
    return [
      ...unknownIn(values, this.known, this.prefix),
      ...unknownIn(values.stream_options, new Set(this.streamOptions), 'stream_options.'),
    ];
  }
}

function unknownIn(object: unknown, known: ReadonlySet<string>, prefix: string): string[] {
  return Object.keys(typeof object === 'object' && object !== null ? object : {})
    .filter((name) => !known.has(name))
    .map((name) => prefix + name);
}

export const CHAT_PARAMETERS = new Parameters(
  [...Object.keys(chatCompletionRequestSchema.shape), 'reasoning_effort'],
  CHAT_UNAVAILABLE,
);

export const COMPLETION_PARAMETERS = new Parameters(
  Object.keys(completionRequestSchema.shape),
  COMPLETION_UNAVAILABLE,
);

/** Longest value of the header of ignored fields, in characters: clients limit headers, and names come from strangers. */
const IGNORED_HEADER_LIMIT = 1000;

/**
 * Says which model answers (in the log), and what of the request nobody knows (in a header).
 * @param ignored Names of fields.
 * @param inputs See ExchangeObserver.
 */
export function noteRequest(
  res: Response,
  model: LibraryModel,
  ignored: readonly string[],
  inputs: readonly GenerationInput[] = [],
): void {
  const facts = factsOf(res);
  facts.model = model.id;
  facts.exchange?.open(model, ignored, inputs);
  const header = ignoredHeader(ignored);
  if (header !== null) res.set('x-pilotlight-ignored', header);
}

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
