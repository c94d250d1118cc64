/** What becomes of the fields of Ollama's requests that are not simply honoured; see server/openai/parameters.ts. */
import {
  type OllamaOptions,
  ollamaChatRequestSchema,
  ollamaEmbeddingsRequestSchema,
  ollamaEmbedRequestSchema,
  ollamaGenerateRequestSchema,
  ollamaModelRequestSchema,
  ollamaOptionsSchema,
} from '../../protocol/ollama.js';
import { Parameters } from '../request/parameters.js';

/** How a prompt that is too long is cut; here it is refused instead, and never cut. */
const CUTTING = ['truncate', 'shift'];

const CHAT = new Parameters([...Object.keys(ollamaChatRequestSchema.shape), ...CUTTING]);

const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0);

const GENERATE = new Parameters([...Object.keys(ollamaGenerateRequestSchema.shape), ...CUTTING], {
  suffix: {
    allows: isEmpty,
    hint: 'suffix is not available: this server writes on at the end of the prompt only.',
  },
  template: {
    allows: isEmpty,
    hint: "template is not available: the model's own chat template is used. For another one, render the prompt and send it with raw.",
  },
  context: {
    allows: isEmpty,
    hint: 'context is not available: send the conversation as messages to /api/chat.',
  },
  width: { allows: () => false },
  height: { allows: () => false },
  steps: { allows: () => false },
});

const EMBED = new Parameters(Object.keys(ollamaEmbedRequestSchema.shape));
const EMBEDDINGS = new Parameters(Object.keys(ollamaEmbeddingsRequestSchema.shape));
const SHOW = new Parameters(
  [...Object.keys(ollamaModelRequestSchema.shape), 'system', 'template', 'options'],
  {
    verbose: {
      allows: (value) => value === false,
      hint: 'verbose is not available: lists of the metadata are left out.',
    },
  },
);
const PULL = new Parameters([...Object.keys(ollamaModelRequestSchema.shape), 'insecure']);

export const PARAMETERS = {
  chat: CHAT,
  generate: GENERATE,
  embed: EMBED,
  embeddings: EMBEDDINGS,
  show: SHOW,
  pull: PULL,
};

/** Memory and hardware, and what else cannot change an answer here. */
const OPTIONS_WITHOUT_EFFECT = [
  ...['num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'numa', 'low_vram', 'f16_kv'],
  ...['use_mmap', 'use_mlock', 'logits_all', 'vocab_only', 'embedding_only'],
  // what is kept of a prompt that is cut, and the two numbers of mirostat, which has to be asked for
  ...['num_keep', 'mirostat_tau', 'mirostat_eta'],
];

const OPTIONS = new Parameters(
  [...Object.keys(ollamaOptionsSchema.shape), ...OPTIONS_WITHOUT_EFFECT],
  Object.fromEntries(
    [
      ['mirostat', 0],
      ['tfs_z', 1],
      ['typical_p', 1],
      ['penalize_newline', true],
    ].map(([name, neutral]) => [
      name,
      {
        allows: (value: unknown) => value === neutral,
        hint: `options.${name} can only be ${neutral}: this version of Pilotlight has no other.`,
      },
    ]),
  ),
);

/**
 * @returns names of options that nobody knows, such as "options.foo".
 * @throws ApiError 400 for one that asks for what this version cannot do.
 */
export function checkOptions(options: OllamaOptions): string[] {
  OPTIONS.refuse(options);
  return OPTIONS.ignored(options).map((name) => `options.${name}`);
}

/** What each field takes, in words, where it differs from the OpenAI dialect's. */
export const WORDS: Readonly<Record<string, string>> = {
  messages: 'a list of messages',
  format: '"json" or a JSON Schema as an object',
  keep_alive: 'a number of seconds or a duration such as "5m"',
  think: 'true, false, "low", "medium" or "high"',
  prompt: 'a text',
  system: 'a text',
  raw: 'true or false',
  images: 'a list',
  input: 'a text or a list of texts, none of those empty',
  truncate: 'true or false',
  dimensions: 'a whole number of at least 1',
  name: 'a string',
  options: 'an object',
  'options.temperature': 'a number from 0 to 2',
  'options.top_k': 'a whole number of at least 0',
  'options.top_p': 'a number from 0 to 1',
  'options.min_p': 'a number from 0 to 1',
  'options.seed': 'a whole number',
  'options.num_predict': 'a whole number of at least 1, or -1 or -2 for no limit',
  'options.stop': 'a string or a list of at most 64 strings, none of them empty',
  'options.repeat_penalty': 'a number above 0 and up to 10',
  'options.presence_penalty': 'a number from -2 to 2',
  'options.frequency_penalty': 'a number from -2 to 2',
  'options.repeat_last_n': 'a whole number of at least -1',
  'options.num_ctx': 'a whole number of at least 1',
};

/** The same for the fields of one message. */
export const MESSAGE_WORDS: Readonly<Record<string, string>> = {
  role: '"system", "user", "assistant" or "tool"',
  content: 'a string',
  thinking: 'a string',
  images: 'a list',
  tool_calls: 'a list of {"function": {"name": …, "arguments": an object}}',
  tool_name: 'a string',
};
