/** GET /pilotlight/models/events: a snapshot of models and downloads, then each change. */
import type { Request, Response } from 'express';
import type { Services } from '../services.js';
import { streamState } from '../state-stream.js';
import { changes, type ModelsState, snapshot } from './changes.js';

export function modelEvents({ state }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    let sent: ModelsState | null = null;
    await streamState(req, res, state, (now) => {
      const events = sent === null ? [snapshot(now)] : changes(sent, now);
      sent = now;
      return events.map((event) => JSON.stringify(event));
    });
  };
}
