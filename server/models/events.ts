/** GET /pilotlight/models/events: a snapshot of models and downloads, then each change. */
import type { Request, Response } from 'express';
import type { Services } from '../services.js';
import { streamState } from '../state-stream.js';
import { changes, type ModelsState, snapshot } from './changes.js';

export function modelEvents({ state }: Services) {
  // Who keeps up goes from the same state to the same next one as all others do: what has changed is worked out once.
  let last: { before: ModelsState | null; after: ModelsState; texts: string[] } | null = null;
  const textsOf = (before: ModelsState | null, after: ModelsState): string[] => {
    if (last === null || last.before !== before || last.after !== after) {
      const events = before === null ? [snapshot(after)] : changes(before, after);
      last = { before, after, texts: events.map((event) => JSON.stringify(event)) };
    }
    return last.texts;
  };
  return async (req: Request, res: Response): Promise<void> => {
    let sent: ModelsState | null = null;
    await streamState(req, res, state, (now) => {
      const texts = textsOf(sent, now);
      sent = now;
      return texts;
    });
  };
}
