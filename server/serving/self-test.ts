/** POST /pilotlight/self-test: the server tries itself, by its own address and as any client, with the key of who asks. */
import type { Request, Response } from 'express';
import { apiOf } from '../../load/api.js';
import { selfTest } from '../../load/self-test/self-test.js';
import { selfTestRequestSchema } from '../../protocol/self-test.js';
import { keysOf } from '../http/key-guard.js';
import { clientGone, EventStream } from '../http/sse.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';

const WORDS = { model: 'the id of a model' };

export function postSelfTest({ serving, access, state }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const { model = null } = parseBody(selfTestRequestSchema, req.body ?? {}, WORDS);
    const signal = AbortSignal.any([clientGone(res), state.ended]);
    const out = await EventStream.open(req, res);
    const [key = null] = keysOf(req);
    const api = apiOf(serving.ownUrl, key);
    for await (const event of selfTest({ api, model, signal, origins: [...access.origins] })) {
      await out.send([JSON.stringify(event)]);
    }
    await out.end();
  };
}
