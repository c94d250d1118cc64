import { type SseItem, SseParser } from '../../protocol/sse.js';

export type { SseItem };

/** The events of a response body, one batch per network chunk; ends with the body, throws what reading it throws. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseItem[]> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // Also a batch without a complete event is passed on: it is a sign of life.
      yield parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
