/**
 * Runs a request again: over the same route of this very server, so that it is admitted, queued and answered as any
 * other. Nobody reads the answer but the inspector.
 */
import http from 'node:http';
import { ApiError } from '../http/errors.js';
import { createId } from '../http/ids.js';
import type { Capture } from './capture.js';
import type { Inspector } from './inspector.js';

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'pilotlight-replay' };

/**
 * @param url Of this server, such as "http://127.0.0.1:7411".
 * @param key Headers with the key that the person came with.
 * @returns the id of the new request, once it has begun.
 * @throws ApiError
 */
export async function replay(
  inspector: Inspector,
  capture: Capture,
  url: string,
  key: http.OutgoingHttpHeaders,
): Promise<string> {
  const { on } = inspector;
  const { body } = capture;
  if (on === null || body === null) {
    throw new ApiError(
      409,
      'This request cannot be run again: its body was no JSON, or there was no room to keep it.',
      { code: 'not_replayable' },
    );
  }
  const { route, method, id } = capture.head;
  const requestId = createId('replay_');
  const failed = new AbortController();
  const begun = inspector.expectReplay(requestId, id, AbortSignal.any([on, failed.signal]));
  const request = http.request(new URL(route, url), {
    method,
    headers: { ...HEADERS, ...key, 'x-request-id': requestId },
    agent: false,
    signal: on,
  });
  request.on('error', () => failed.abort());
  request.on('response', (response) => {
    // An answer to what has not begun is a refusal at the door.
    failed.abort();
    // What is cut off or cancelled later is told by the inspector.
    response.on('error', () => {});
    response.resume();
  });
  request.end(body);
  const begunId = await begun;
  if (begunId !== null) return begunId;
  throw new ApiError(503, 'The request could not be run again: the server did not take it.', {
    code: 'replay_failed',
  });
}
