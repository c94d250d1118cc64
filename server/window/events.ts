/** GET /pilotlight/events: the whole state at once and after each change. */
import type { Request, Response } from 'express';
import { clientGone, EventStream } from '../http/sse.js';
import type { Services } from '../services.js';

export function events({ state }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const gone = clientGone(res);
    const out = await EventStream.open(req, res);
    let sending = false;
    let newer = true;
    let sent = '';
    // A slow reader gets the latest state when it has read the last one, and none of those between.
    const send = async () => {
      newer = true;
      if (sending) return;
      sending = true;
      while (newer && !out.closed) {
        newer = false;
        const text = JSON.stringify(state.now());
        if (text === sent) continue;
        sent = text;
        await out.send([text]);
      }
      sending = false;
    };
    const unsubscribe = state.subscribe(() => void send());
    const end = () => void out.end();
    state.ended.addEventListener('abort', end);
    gone.addEventListener('abort', () => {
      unsubscribe();
      state.ended.removeEventListener('abort', end);
    });
    if (out.closed) unsubscribe();
    if (state.ended.aborted) end();
    await send();
  };
}
