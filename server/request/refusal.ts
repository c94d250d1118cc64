/** What a schema refuses → a 400 that names the parameter and says what it takes. */
import type { z } from 'zod';
import { IDLE_TTL_MAX } from '../../protocol/settings.js';
import { type ApiError, invalidRequest } from '../http/errors.js';

/** What each parameter takes, by its name. */
type Words = Readonly<Record<string, string>>;

/**
 * Reads a body with a schema.
 * @param words What a parameter takes, where it differs from EXPECTED.
 * @param inMessage The same for the fields of one message.
 * @throws ApiError 400 that names the first parameter that is wrong.
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  words: Words = {},
  inMessage: Words = EXPECTED_IN_MESSAGE,
): z.infer<Schema> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest(`The body must be a JSON object; received ${kindOf(body)}.`, null);
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const all = { ...EXPECTED, ...words };
    throw fromIssue(parsed.error.issues[0], body as Record<string, unknown>, all, inMessage);
  }
  return parsed.data;
}

/** What each parameter takes, in words; used where the schema says no. */
const EXPECTED: Record<string, string> = {
  model: 'a string',
  messages: 'a list of at least one message',
  stream: 'true or false',
  stream_options: 'an object',
  'stream_options.include_usage': 'true or false',
  max_tokens: 'a whole number of at least 1',
  max_completion_tokens: 'a whole number of at least 1',
  temperature: 'a number from 0 to 2',
  top_p: 'a number from 0 to 1',
  top_k: 'a whole number of at least 0',
  min_p: 'a number from 0 to 1',
  presence_penalty: 'a number from -2 to 2',
  frequency_penalty: 'a number from -2 to 2',
  repeat_penalty: 'a number above 0 and up to 10',
  repeat_last_n: 'a whole number of at least -1',
  seed: 'a whole number',
  stop: 'a string or a list of at most 4 strings, none of them empty',
  logit_bias: 'an object of token ids and numbers from -100 to 100',
  n: 'a whole number from 1 to 128',
  logprobs: 'true or false',
  top_logprobs: 'a whole number from 0 to 20',
  response_format:
    '{"type": "text"}, {"type": "json_object"} or {"type": "json_schema", "json_schema": {"schema": …}}',
  tools:
    'a list of {"type": "function", "function": {"name": …, "parameters": …}}, names of letters, digits, "_", "-" and "."',
  tool_choice:
    '"none", "auto", "required", {"type": "function", "function": {"name": …}} or {"type": "allowed_tools", …}',
  parallel_tool_calls: 'true or false',
  prompt: 'a text, a list of token ids, or a list of at least one of either',
  echo: 'true or false',
  priority: '"interactive", "normal" or "background"',
  speculation: '"off", "ngram" or "draft"',
  chat_template_kwargs: 'an object of variables, their names of letters, digits and "_"',
  'chat_template_kwargs.enable_thinking': 'true or false',
  ttl: `a whole number of seconds from 0 to ${IDLE_TTL_MAX}`,
};

/** The same for the fields of one message. */
const EXPECTED_IN_MESSAGE: Record<string, string> = {
  role: '"developer", "system", "user", "assistant" or "tool"',
  content: 'a string or a list of parts with a "type"',
  name: 'a string',
  reasoning_content: 'a string',
  tool_calls:
    'a list of {"id": …, "type": "function", "function": {"name": …, "arguments": a string}}',
  tool_call_id: 'a string',
};

function fromIssue(
  issue: z.core.$ZodIssue | undefined,
  values: Record<string, unknown>,
  words: Words,
  inMessage: Words,
): ApiError {
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const name = pathText([...issue.path, key.slice(0, 100)]);
    return invalidRequest(`There is no parameter "${name}" here.`, name, 'unknown_parameter');
  }
  const { path, expected } = culprit(issue?.path ?? [], words, inMessage);
  const param = pathText(path);
  if (expected === undefined) {
    return invalidRequest(
      `${param || 'The body'}: ${issue?.message ?? 'not valid'}.`,
      param || null,
    );
  }
  const value = path.reduce<unknown>((at, key) => (at as never)?.[key], values);
  if (value === undefined) {
    return invalidRequest(
      `"${param}" is missing: ${expected} is needed.`,
      param,
      'missing_parameter',
    );
  }
  // An object is wrong by what is in it, which these few words cannot show.
  const received = typeof value === 'object' && value !== null ? '' : `; received ${kindOf(value)}`;
  return invalidRequest(`${param} must be ${expected}${received}.`, param);
}

/** Such as "messages[0].role". */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** The parameter to name: the innermost one that has words of its own, since those say what it takes as a whole. */
function culprit(
  path: readonly PropertyKey[],
  words: Words,
  inMessage: Words,
): { path: PropertyKey[]; expected?: string } {
  const [top, second, third] = path.map(String);
  if (top === 'messages' && path.length > 1) {
    const expected = third === undefined ? 'an object with a role' : inMessage[third];
    return expected === undefined ? { path: [...path] } : { path: path.slice(0, 3), expected };
  }
  for (const length of [2, 1]) {
    const expected = words[[top, second].slice(0, length).join('.')];
    if (expected !== undefined) return { path: path.slice(0, length), expected };
  }
  return { path: [...path] };
}

/** A value in a few words: numbers and short strings as they are, all else by its kind. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string')
    return value.length <= 40 ? JSON.stringify(value) : 'a long string';
  return String(value);
}
