/** GET /pilotlight/chats/events: what there is, then what changes of it. */
import type { Request, Response } from 'express';
import { queryOf } from '../http/query.js';
import { clientGone, EventStream } from '../http/sse.js';
import type { Services } from '../services.js';

/** Characters of events that wait for a slow reader, before it gets all anew in their place: minutes of text. */
const WAITING = 4_000_000;

export function chatEvents({ chats, state }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const query = queryOf(req);
    const open = query.get('open');
    const known = query.get('list');
    let version = known === null ? null : Number(known);
    const over = AbortSignal.any([clientGone(res), state.ended]);
    let waiting: string[] = [];
    let length = 0;
    let isBehind = true;
    let wake = () => {};
    const renewed = () => {
      isBehind = true;
      version = null;
      waiting = [];
      wake();
    };
    const unsubscribe = chats.feed.subscribe({
      told: (chatId, text) => {
        if (chatId !== null && chatId !== open) return;
        // What comes before a snapshot is in it.
        if (isBehind) return;
        waiting.push(text());
        length += text().length;
        if (length > WAITING) renewed();
        else wake();
      },
      renewed,
    });
    over.addEventListener('abort', () => wake());
    const out = await EventStream.open(req, res);
    try {
      while (!over.aborted && !out.closed) {
        if (isBehind) {
          isBehind = false;
          waiting = chats.snapshot(open, version).map((event) => JSON.stringify(event));
        }
        const batch = waiting;
        [waiting, length] = [[], 0];
        await out.send(batch);
        if (waiting.length > 0 || isBehind || over.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      unsubscribe();
    }
    await out.end();
  };
}
