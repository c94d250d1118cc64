/** GET /api/tags, /api/ps and /api/version: which models there are, which are loaded, and whose API this is. */
import type { Request, Response } from 'express';
import type { OllamaPs, OllamaTags } from '../../protocol/ollama.js';
import type { Services } from '../services.js';
import { listed, listedEntry, timeOf } from './details.js';

/** Files that cannot be models are left out: whoever reads this list offers all of it. */
export function tags({ library, upstreams }: Services) {
  return (_req: Request, res: Response): void => {
    const own = library
      .models()
      .filter(({ invalidReason }) => invalidReason === null)
      .map((model) => ({ ...listed(model), modified_at: timeOf(model.created) }));
    const list: OllamaTags = { models: [...own, ...upstreams.entries().map(listedEntry)] };
    res.json(list);
  };
}

/** Clients show a date that is far away as "forever". */
const NEVER = '2318-01-01T00:00:00.000Z';

function expiry(ms: number | null): string {
  return ms === null ? NEVER : new Date(Date.now() + ms).toISOString();
}

export function runningModels({ library, pool }: Services) {
  return (_req: Request, res: Response): void => {
    const list: OllamaPs = {
      models: library.models().flatMap((model) => {
        const info = pool.info(model);
        if (info === null) return [];
        const [main = 0, ...devices] = info.memory.map(
          ({ weightsBytes, kvBytes, computeBytes }) => weightsBytes + kvBytes + computeBytes,
        );
        const vram = devices.reduce((sum, bytes) => sum + bytes, 0);
        return [
          {
            ...listed(model),
            size: main + vram,
            expires_at: expiry(pool.expiresIn(model)),
            size_vram: vram,
            context_length: info.contextLength,
          },
        ];
      }),
    };
    res.json(list);
  };
}

/**
 * Clients refuse older servers: the first version of Ollama with all that this server has too, the Responses API (0.13.4)
 * and the Messages API (0.14.0) among it. Three plain numbers, since some clients read each by itself.
 */
const API_VERSION = '0.14.0';

export function apiVersion({ version }: Services) {
  return (_req: Request, res: Response): void => {
    res.json({ version: API_VERSION, pilotlight: version });
  };
}
