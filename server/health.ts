/**
 * GET /health: whether the server runs and whose it is, for everyone who can reach it. What it computes with, and which
 * model it has, is told only to those who may use it.
 */
import type { Request, Response } from 'express';
import type { Health } from '../protocol/models.js';
import { isAdmitted } from './http/key-guard.js';
import type { Services } from './services.js';

/** How a Pilotlight knows another one on a port. */
export const SERVER_NAME = 'pilotlight';

export function health({ keys, version, current, library, pool, backends, upstreams }: Services) {
  return (req: Request, res: Response): void => {
    if (!isAdmitted(keys, req, res)) {
      const answer: Health = { status: 'ok', name: SERVER_NAME };
      res.json(answer);
      return;
    }
    const model = current.id === null ? null : library.find(current.id);
    const engine = model === null ? null : pool.status(model);
    const remote = current.upstreamId === null ? null : upstreams.entry(current.upstreamId);
    const answer: Health = {
      status: 'ok',
      name: SERVER_NAME,
      version,
      model: current.id,
      model_status: engine?.status ?? remote?.status ?? null,
      devices: engine?.devices ?? null,
      backends: backends.states(),
    };
    res.json(answer);
  };
}
