/** fetch, for answers of strangers: what cannot be a message of theirs any more is not read on. */
import { ToolServerError } from './problem.js';

/** Bytes of one message; see stdio-transport.ts. */
const MESSAGE_MAX = 16 * 1024 * 1024;

export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const body = response.body.pipeThrough(bound(isStream));
  return new Response(body, { status, statusText, headers });
}

/** @param isStream Of events, of which each may have so many bytes. */
function bound(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      const end = isStream ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : null;
      const last =
        end === null ? -1 : Math.max(end.lastIndexOf('\n\n'), end.lastIndexOf('\r\n\r\n'));
      if (last >= 0) length = chunk.length - last;
      if (length > MESSAGE_MAX) controller.error(new ToolServerError('too_much'));
      else controller.enqueue(chunk);
    },
  });
}
