/** GET /pilotlight/inspector/events: the state of the inspector at once, then what changes of it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { InspectorEvent, InspectorState } from '../../protocol/inspector.js';
import { clientGone, EventStream } from '../http/sse.js';
import type { Services } from '../services.js';
import { changesBetween } from './changes.js';

/** Changes within this time are told as one, in milliseconds: a person cannot read faster. */
const GATHER_MS = 250;

export function inspectorEvents({ inspector, state }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const over = AbortSignal.any([clientGone(res), state.ended]);
    let isTouched = false;
    let wake = () => {};
    const touch = () => {
      isTouched = true;
      wake();
    };
    const unsubscribe = inspector.subscribe(touch);
    over.addEventListener('abort', touch);
    const out = await EventStream.open(req, res);
    let told: InspectorState | null = null;
    // A slow reader gets the difference to what it has read, however much has changed since.
    while (!over.aborted) {
      isTouched = false;
      const now = inspector.state();
      const event: InspectorEvent | null =
        told === null ? { type: 'state', ...now } : changesBetween(told, now);
      told = now;
      if (event !== null) await out.send([JSON.stringify(event)]);
      await wait(GATHER_MS, undefined, { signal: over }).catch(() => {});
      if (isTouched || inspector.isBusy || over.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    unsubscribe();
    await out.end();
  };
}
