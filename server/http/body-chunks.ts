/** A request's body as it comes. */
import type { Readable } from 'node:stream';

/**
 * Whoever stops before the end leaves the connection to the next request: the rest is read to nowhere. A body that is
 * destroyed instead, as by a pipeline, leaves a connection that its client takes for a good one and that nobody reads.
 * @throws the error of the connection.
 */
export async function* bodyChunks(content: Readable): AsyncGenerator<Buffer> {
  try {
    yield* content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } finally {
    content.resume();
  }
}
