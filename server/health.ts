/** GET /health: whether the server runs, whose it is, and what it computes with. Needs no key. */
import type { Request, Response } from 'express';
import type { Services } from './services.js';

/** How a Pilotlight knows another one on a port. */
export const SERVER_NAME = 'pilotlight';

export function health({ version, current, library, pool, backends }: Services) {
  return (_req: Request, res: Response): void => {
    const model = current.id === null ? null : library.find(current.id);
    const engine = model === null ? null : pool.status(model);
    res.json({
      status: 'ok',
      name: SERVER_NAME,
      version,
      model: current.id,
      model_status: engine?.status ?? null,
      devices: engine?.devices ?? null,
      backends: backends.states(),
    });
  };
}
