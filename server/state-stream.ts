/** A stream without end of what the server's state is, in the form of its route. */
import type { Request, Response } from 'express';
import type { ServerState } from '../protocol/models.js';
import { clientGone, EventStream } from './http/sse.js';
import type { StateFeed } from './state.js';

/**
 * Sends the state at once and after each change, until the client or the server goes. A slow reader gets the latest state
 * when it has read the last one, and none of those between.
 * @param encode What is to be sent of a state, as JSON texts; called with those that are sent, in order.
 */
export async function streamState(
  req: Request,
  res: Response,
  state: StateFeed,
  encode: (now: ServerState) => readonly string[],
): Promise<void> {
  const gone = clientGone(res);
  const out = await EventStream.open(req, res);
  let sending = false;
  let newer = true;
  const send = async () => {
    newer = true;
    if (sending) return;
    sending = true;
    while (newer && !out.closed) {
      newer = false;
      await out.send(encode(state.now()));
    }
    sending = false;
  };
  const unsubscribe = state.subscribe(() => void send());
  const end = () => void out.end();
  // Adds nothing where the client has gone already.
  state.ended.addEventListener('abort', end, { signal: gone });
  gone.addEventListener('abort', unsubscribe);
  if (gone.aborted || out.closed) unsubscribe();
  if (state.ended.aborted) end();
  await send();
}
