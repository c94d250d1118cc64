/** One question in each dialect, for tests of what is true of all of them. */
import http from 'node:http';
import type { z } from 'zod';
import { anthropicErrorSchema, type Message, type MessageEvent } from '../../protocol/anthropic.js';
import type { Completion, CompletionChunk } from '../../protocol/completions.js';
import { generateAnswerSchema, generateEventSchema } from '../../protocol/generate.js';
import { ollamaErrorSchema } from '../../protocol/ollama.js';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  errorBodySchema,
} from '../../protocol/openai.js';
import type { ResponseEvent } from '../../protocol/response-events.js';
import type { ResponseObject } from '../../protocol/response-object.js';
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
  /** The text that all bytes of a stream tell; fails where they are no whole stream. */
  streamed(bytes: string): string;
  /** The text of a collected answer. */
  collected(body: string): string;
  /** Of the body of a refusal. */
  failure: z.ZodType;
  /** What a stream begins with while a model loads; null: nothing but a space after some seconds of silence. */
  keepAlive: RegExp | null;
}

/** The chunks before [DONE]. */
function openaiChunks<Chunk>(bytes: string): Chunk[] {
  if (!bytes.endsWith('data: [DONE]\n\n')) throw new Error(`cut off: …${bytes.slice(-100)}`);
  return payloads(bytes)
    .slice(0, -1)
    .map((payload) => JSON.parse(payload));
}

const openai = { failure: errorBodySchema.strict(), keepAlive: /^: .+\n\n/ };

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  'chat completions': {
    ...openai,
    path: '/v1/chat/completions',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_tokens: maxTokens },
      messages: [user(text)],
    }),
    streamed: (bytes) =>
      openaiChunks<ChatCompletionChunk>(bytes)
        .map(({ choices }) => choices[0]?.delta.content ?? '')
        .join(''),
    collected: (body) => (JSON.parse(body) as ChatCompletion).choices[0]?.message.content ?? '',
  },
  completions: {
    ...openai,
    path: '/v1/completions',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_tokens: maxTokens },
      prompt: text,
    }),
    streamed: (bytes) =>
      openaiChunks<CompletionChunk>(bytes)
        .map(({ choices }) => choices[0]?.text ?? '')
        .join(''),
    collected: (body) => (JSON.parse(body) as Completion).choices[0]?.text ?? '',
  },
  generate: {
    ...openai,
    path: '/v1/generate',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_tokens: maxTokens },
      messages: [user(text)],
    }),
    streamed: (bytes) => {
      const events = payloads(bytes).map((data) => generateEventSchema.parse(JSON.parse(data)));
      if (events.at(-1)?.type !== 'done') throw new Error(`cut off: ${bytes.slice(-100)}`);
      return events.map((event) => (event.type === 'token' ? event.text : '')).join('');
    },
    collected: (body) => generateAnswerSchema.parse(JSON.parse(body)).text,
  },
  responses: {
    ...openai,
    path: '/v1/responses',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_output_tokens: maxTokens },
      input: text,
    }),
    streamed: (bytes) => {
      const events = namedEvents<ResponseEvent>(bytes);
      const last = events.at(-1)?.type;
      if (last !== 'response.completed' && last !== 'response.incomplete') {
        throw new Error(`cut off after ${last}`);
      }
      return events
        .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
        .join('');
    },
    collected: (body) => {
      const [item] = (JSON.parse(body) as ResponseObject).output;
      const [part] = item?.type === 'message' ? item.content : [];
      return part?.type === 'output_text' ? part.text : '';
    },
  },
  messages: {
    failure: anthropicErrorSchema.strict(),
    keepAlive: openai.keepAlive,
    path: '/v1/messages',
    body: ({ model, text, maxTokens, stream }) => ({
      ...{ model, stream, max_tokens: maxTokens },
      messages: [user(text)],
    }),
    streamed: (bytes) => {
      const events = namedEvents<MessageEvent>(bytes);
      if (events.at(-1)?.type !== 'message_stop') throw new Error(`cut off: ${bytes.slice(-100)}`);
      return events
        .map((event) =>
          event.type === 'content_block_delta' && event.delta.type === 'text_delta'
            ? event.delta.text
            : '',
        )
        .join('');
    },
    collected: (body) => {
      const [block] = (JSON.parse(body) as Message).content;
      return block?.type === 'text' ? block.text : '';
    },
  },
  'Ollama chat': ollama('/api/chat', ({ text }) => ({ messages: [user(text)] })),
  'Ollama generate': ollama('/api/generate', ({ text }) => ({ prompt: text })),
};

function ollama(path: string, input: (question: Question) => object): Dialect {
  const textOf = (body: string): string => {
    const { message, response } = JSON.parse(body) as OllamaPart;
    return message?.content ?? response ?? '';
  };
  return {
    path,
    body: (question) => ({
      model: question.model,
      stream: question.stream,
      options: { num_predict: question.maxTokens },
      ...input(question),
    }),
    streamed: (bytes) => {
      const lines = bytes.split('\n').filter((line) => line !== '');
      if (!(JSON.parse(lines.at(-1) ?? '{}') as OllamaPart).done) throw new Error('cut off');
      return lines.map(textOf).join('');
    },
    collected: textOf,
    failure: ollamaErrorSchema.strict(),
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
