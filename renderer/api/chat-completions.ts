import { type ChatEvent, readChunk, readProgress } from './chat-chunk.js';
import { ApiError } from './error.js';
import { sendJson } from './http.js';
import { readSse, type SseItem } from './sse.js';

export interface ChatRequest {
  model: string;
  messages: { role: 'user' | 'assistant'; content: string }[];
}

/**
 * Streams one answer: batches of events, one per network chunk, until the answer is complete.
 * @throws ApiError for whatever goes wrong; the AbortError of `signal` passes through.
 */
export async function* streamChat(
  chat: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent[]> {
  const body = {
    ...chat,
    stream: true,
    stream_options: { include_usage: true },
    priority: 'interactive',
  };
  const response = await sendJson('POST', '/v1/chat/completions', body, signal);
  if (!response.body) throw lost();
  let finished = false;
  try {
    for await (const items of readSse(response.body)) {
      const { events, end } = readItems(items);
      finished ||= events.some((event) => event.type === 'finish');
      if (events.length > 0) yield events;
      if (end instanceof ApiError) throw end;
      if (end === 'done') return;
    }
  } catch (cause) {
    if (cause instanceof ApiError || signal.aborted) throw cause;
    throw lost();
  }
  if (!finished) throw lost();
}

/** What came before an error in the same network chunk is not lost: the error is handed back beside it. */
function readItems(items: SseItem[]): { events: ChatEvent[]; end: 'done' | ApiError | null } {
  const events: ChatEvent[] = [];
  for (const item of items) {
    if (item.type === 'comment') {
      const progress = readProgress(item.text);
      if (progress) events.push({ type: 'progress', progress });
      continue;
    }
    if (item.data === '[DONE]') return { events, end: 'done' };
    try {
      events.push(...readChunk(item.data));
    } catch (cause) {
      if (cause instanceof ApiError) return { events, end: cause };
      throw cause;
    }
  }
  return { events, end: null };
}

function lost(): ApiError {
  return new ApiError('broken', 'The connection broke off before the answer was complete.');
}
