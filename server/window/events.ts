/** GET /pilotlight/events: the whole state at once and after each change. */
import type { Request, Response } from 'express';
import type { Services } from '../services.js';
import { streamState } from '../state-stream.js';

export function events({ state }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    let sent = '';
    await streamState(req, res, state, (now) => {
      const text = state.textOf(now);
      if (text === sent) return [];
      sent = text;
      return [text];
    });
  };
}
