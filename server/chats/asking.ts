/**
 * Asks a model for a chat: over the route of this very server that programs use, so that it is admitted, queued, counted
 * and answered as any other request, by models of this machine and of other servers.
 */
import http from 'node:http';
import { z } from 'zod';
import type { AnswerFailure, ChatProgress } from '../../protocol/chats.js';
import { errorBodySchema } from '../../protocol/openai.js';
import { SseParser } from '../../protocol/sse.js';

/** Why there is no answer, or no more of it. */
export class AskError extends Error {
  override readonly name = 'AskError';

  /** @param param The part of the request at fault, such as "tools[1]"; null: none in particular. */
  constructor(
    readonly failure: AnswerFailure,
    readonly param: string | null = null,
  ) {
    super(failure.message);
  }
}

export type AskEvent =
  | { type: 'progress'; progress: ChatProgress }
  | { type: 'delta'; content: string; reasoning: string }
  /** A piece of a call: its id and its name come with the first one. */
  | { type: 'call'; index: number; id: string; name: string; arguments: string }
  /** As in the reference, such as "stop" or "length". */
  | { type: 'finish'; reason: string };

export interface AskOptions {
  /** Of this server, such as "http://127.0.0.1:7411". */
  url: string;
  /** The server's own. */
  key: string;
  requestId: string;
  /** Of a chat completion that is streamed. */
  body: object;
  /** Ends the request, and the model's work with it. */
  signal: AbortSignal;
}

/** Longest refusal that is read, in characters. */
const REFUSAL = 64 * 1024;

const callSchema = z.object({
  index: z.number().int().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const delta = z.object({
  content: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  // Of some servers, in place of the one before.
  reasoning: z.string().nullish(),
  tool_calls: z.array(callSchema).nullish(),
});
const chunkSchema = z.object({
  choices: z.array(z.object({ delta: delta.nullish(), finish_reason: z.string().nullish() })),
});

/**
 * The events of an answer, each time as many as have come together. Ends behind `finish`, and where the signal aborts.
 * @throws AskError
 */
export async function* ask(options: AskOptions): AsyncGenerator<AskEvent[]> {
  const { signal } = options;
  try {
    const response = await post(options);
    if (response.statusCode !== 200) throw await refusal(response);
    let isFinished = false;
    const parser = new SseParser();
    response.setEncoding('utf8');
    for await (const text of response as AsyncIterable<string>) {
      const events = parser
        .push(text)
        .flatMap((item) => (item.type === 'comment' ? progressOf(item.text) : eventsOf(item.data)));
      isFinished ||= events.some(({ type }) => type === 'finish');
      if (events.length > 0) yield events;
    }
    if (!isFinished) throw brokenOff();
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof AskError ? error : brokenOff();
  }
}

function post({ url, key, requestId, body, signal }: AskOptions): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request(new URL('/v1/chat/completions', url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-request-id': requestId,
      },
      // A connection of its own, which ends with the answer.
      agent: false,
      signal,
    });
    request.on('error', reject);
    request.on('response', resolve);
    request.end(JSON.stringify(body));
  });
}

async function refusal(response: http.IncomingMessage): Promise<AskError> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response as AsyncIterable<string>) {
    text += chunk;
    if (text.length > REFUSAL) break;
  }
  const seconds = Number(response.headers['retry-after']);
  const { param, ...words } = errorIn(text, `It answered with status ${response.statusCode}.`);
  const retry_after = Number.isFinite(seconds) ? seconds : null;
  return new AskError({ ...words, retry_after }, param);
}

interface ToldError extends Pick<AnswerFailure, 'code' | 'message'> {
  param: string | null;
}

function errorIn(text: string, otherwise: string): ToldError {
  const parsed = errorBodySchema.safeParse(jsonOf(text));
  if (!parsed.success) return { code: 'unreadable', message: otherwise, param: null };
  const { code, type, message, param } = parsed.data.error;
  return { code: code ?? type, message, param: param ?? null };
}

function eventsOf(data: string): AskEvent[] {
  if (data === '[DONE]') return [];
  const json = jsonOf(data);
  const parsed = chunkSchema.safeParse(json);
  if (!parsed.success) {
    const { param, ...words } = errorIn(data, 'The model sent something that cannot be read.');
    throw new AskError({ ...words, retry_after: null }, param);
  }
  const [choice] = parsed.data.choices;
  const { content, reasoning_content: thought, reasoning } = choice?.delta ?? {};
  const piece = { content: content ?? '', reasoning: thought ?? reasoning ?? '' };
  const events: AskEvent[] = [];
  if (piece.content !== '' || piece.reasoning !== '') events.push({ type: 'delta', ...piece });
  for (const call of choice?.delta?.tool_calls ?? []) {
    const { name, arguments: text } = call.function ?? {};
    events.push({
      ...{ type: 'call', index: call.index ?? 0, id: call.id ?? '' },
      ...{ name: name ?? '', arguments: text ?? '' },
    });
  }
  if (choice?.finish_reason) events.push({ type: 'finish', reason: choice.finish_reason });
  return events;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What a keep-alive comment tells that nobody else does; see http/generation-response.ts. */
function progressOf(comment: string): AskEvent[] {
  return comment === 'waiting for memory'
    ? [{ type: 'progress', progress: { stage: 'memory' } }]
    : [];
}

const brokenOff = () =>
  new AskError({
    code: 'broken_off',
    message: 'The answer broke off: the connection to the model was lost.',
    retry_after: null,
  });
