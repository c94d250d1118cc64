/** One question in each dialect, for tests of what is true of all of them. */
import http from 'node:http';
import type { z } from 'zod';
import { anthropicErrorSchema, type Message, type MessageEvent } from '../../protocol/anthropic.js';
import type { Completion, CompletionChunk } from '../../protocol/completions.js';
import { generateAnswerSchema, generateEventSchema } from '../../protocol/generate.js';
import {
  type InferenceChunk,
  type InferenceLogprobs,
  inferenceAnswerSchema,
} from '../../protocol/inference.js';
import { ollamaErrorSchema } from '../../protocol/ollama.js';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  errorBodySchema,
} from '../../protocol/openai.js';
import type { ResponseEvent } from '../../protocol/response-events.js';
import type { ResponseObject } from '../../protocol/response-object.js';
import { BpeVocabulary } from '../../scripts/test-models/bpe-vocab.js';
import { payloads, type TestServer, user } from '../test-server.js';

export interface Question {
  model: string;
  text: string;
  maxTokens: number;
  stream: boolean;
}

export interface Dialect {
  path: string;
  body(question: Question): object;
  /** The text that the bytes of a stream tell so far. */
  text(bytes: string): string;
  /** The same of all its bytes; fails where they are no whole stream. */
  streamed(bytes: string): string;
  /** The text of a collected answer. */
  collected(body: string): string;
  /** Of the body of a refusal. */
  failure: z.ZodType;
  /** What is in a stream of `scripted-long` once its answer has begun. */
  flowing: RegExp;
  /** What a stream begins with while a model loads; null: nothing but a space after some seconds of silence. */
  keepAlive: RegExp | null;
}

/** Both readings of a stream: `parts` of its bytes, and what of them says that they are whole. */
function stream<Part>(
  parts: (bytes: string) => Part[],
  textOf: (part: Part) => string | undefined,
  isEnd: (part: Part | undefined) => boolean,
): Pick<Dialect, 'text' | 'streamed'> {
  const join = (all: Part[]) => all.map((part) => textOf(part) ?? '').join('');
  return {
    text: (bytes) => join(parts(bytes)),
    streamed: (bytes) => {
      const all = parts(bytes);
      if (!isEnd(all.at(-1))) throw new Error(`cut off: …${bytes.slice(-100)}`);
      return join(all);
    },
  };
}

const DONE = '[DONE]';

/** Chunks, an error in their place, or [DONE]. */
function openaiStream<Chunk>(textOf: (chunk: Chunk) => string | undefined) {
  return stream(
    (bytes) =>
      payloads(bytes).map((data): Chunk | null => (data === DONE ? null : JSON.parse(data))),
    (chunk) => (chunk === null ? '' : textOf(chunk)),
    (chunk) => chunk === null,
  );
}

const openai = {
  failure: errorBodySchema.strict(),
  flowing: /pha/,
  keepAlive: /^: .+\n\n/,
};

/** Of the tokens that all test models have: a prompt needs no others. */
const vocabulary = new BpeVocabulary();

/** Told with their bytes because each of them has its log probability. */
function tokenText({ logprobs }: { logprobs: InferenceLogprobs | null }): string {
  return Buffer.concat(
    (logprobs?.content ?? []).map(({ bytes }) => Buffer.from(bytes ?? [])),
  ).toString();
}

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  'chat completions': {
    ...openai,
    path: '/v1/chat/completions',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_tokens: maxTokens },
      messages: [user(text)],
    }),
    ...openaiStream<Partial<ChatCompletionChunk>>(
      ({ choices }) => choices?.[0]?.delta.content ?? '',
    ),
    collected: (body) => (JSON.parse(body) as ChatCompletion).choices[0]?.message.content ?? '',
  },
  completions: {
    ...openai,
    path: '/v1/completions',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_tokens: maxTokens },
      prompt: text,
    }),
    ...openaiStream<Partial<CompletionChunk>>(({ choices }) => choices?.[0]?.text),
    collected: (body) => (JSON.parse(body) as Completion).choices[0]?.text ?? '',
  },
  'token ids': {
    ...openai,
    flowing: /"token_ids":\[\d/,
    path: '/inference/v1/generate',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, token_ids: vocabulary.encode(text) },
      sampling_params: { max_tokens: maxTokens, temperature: 0, logprobs: 0 },
    }),
    ...openaiStream<Partial<InferenceChunk>>(
      ({ choices: [choice] = [] }) => choice && tokenText(choice),
    ),
    collected: (body) => {
      const [choice] = inferenceAnswerSchema.parse(JSON.parse(body)).choices;
      return choice ? tokenText(choice) : '';
    },
  },
  generate: {
    ...openai,
    path: '/v1/generate',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_tokens: maxTokens },
      messages: [user(text)],
    }),
    ...stream(
      (bytes) => payloads(bytes).map((data) => generateEventSchema.parse(JSON.parse(data))),
      (event) => (event.type === 'token' ? event.text : ''),
      (event) => event?.type === 'done',
    ),
    collected: (body) => generateAnswerSchema.parse(JSON.parse(body)).text,
  },
  responses: {
    ...openai,
    path: '/v1/responses',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_output_tokens: maxTokens },
      input: text,
    }),
    ...stream<ResponseEvent>(
      namedEvents,
      (event) => (event.type === 'response.output_text.delta' ? event.delta : ''),
      (event) => event?.type === 'response.completed' || event?.type === 'response.incomplete',
    ),
    collected: (body) => {
      const [item] = (JSON.parse(body) as ResponseObject).output;
      const [part] = item?.type === 'message' ? item.content : [];
      return part?.type === 'output_text' ? part.text : '';
    },
  },
  messages: {
    ...openai,
    failure: anthropicErrorSchema.strict(),
    path: '/v1/messages',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_tokens: maxTokens },
      messages: [user(text)],
    }),
    ...stream<MessageEvent>(
      namedEvents,
      (event) =>
        event.type === 'content_block_delta' && event.delta.type === 'text_delta'
          ? event.delta.text
          : '',
      (event) => event?.type === 'message_stop',
    ),
    collected: (body) => {
      const [block] = (JSON.parse(body) as Message).content;
      return block?.type === 'text' ? block.text : '';
    },
  },
  'Ollama chat': ollama('/api/chat', ({ text }) => ({ messages: [user(text)] })),
  'Ollama generate': ollama('/api/generate', ({ text }) => ({ prompt: text })),
};

function ollama(path: string, input: (question: Question) => object): Dialect {
  const textOf = ({ message, response }: OllamaPart) => message?.content ?? response;
  return {
    path,
    body: (question) => ({
      model: question.model,
      stream: question.stream,
      options: { num_predict: question.maxTokens },
      ...input(question),
    }),
    ...stream<OllamaPart>(
      (bytes) =>
        bytes
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line)),
      textOf,
      (part) => part?.done === true,
    ),
    collected: (body) => textOf(JSON.parse(body)) ?? '',
    failure: ollamaErrorSchema.strict(),
    flowing: openai.flowing,
    keepAlive: null,
  };
}

interface OllamaPart {
  message?: { content: string };
  response?: string;
  done?: boolean;
}

/** Payloads of events that have a name, which must be their type. */
function namedEvents<Event extends { type: string }>(bytes: string): Event[] {
  const events = bytes.split('\n\n').filter((text) => text !== '' && !text.startsWith(':'));
  return events.map((text) => {
    const [, name, data = ''] = /^event: ?(\S+)\ndata: ?(.*)$/.exec(text) ?? [];
    const event = JSON.parse(data) as Event;
    if (event.type !== name) throw new Error(`${event.type} is named ${name}`);
    return event;
  });
}

/** Resolves with the headers; nobody reads the body yet. */
export function ask(
  test: TestServer,
  dialect: Dialect,
  question: Question,
  signal?: AbortSignal,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(dialect.body(question));
    const request = http.request(
      {
        host: '127.0.0.1',
        port: test.port,
        path: dialect.path,
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json' },
        ...(signal ? { signal } : {}),
      },
      (response) => {
        // The body of who leaves in the middle ends with an error, which is no news.
        response.on('error', () => {});
        resolve(response);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** All that comes, read on from where it is. */
export async function readAll(response: http.IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

/** Reads until the text so far matches, and leaves the rest unread. */
export async function readUntil(response: http.IncomingMessage, pattern: RegExp): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  const chunks = response.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    text += chunk;
    if (pattern.test(text)) break;
  }
  return text;
}
