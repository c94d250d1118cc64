/** POST /pilotlight/models/{id}/estimate: what a model would take, as it is set or with other settings. */
import type { Request, Response } from 'express';
import type { Fit } from '../../protocol/fit.js';
import { estimateModelSchema } from '../../protocol/model-control.js';
import { clientGone } from '../http/sse.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { localModel } from './local-model.js';
import { LOAD_SETTING_WORDS } from './words.js';

export function estimateModel(services: Services) {
  const { fits, pool, rules, settings: stored } = services;
  return async (req: Request, res: Response): Promise<void> => {
    const { settings = {}, alone = false } = parseBody(
      estimateModelSchema,
      req.body,
      LOAD_SETTING_WORDS,
    );
    const model = localModel(services, req);
    const gone = clientGone(res);
    const asked = alone ? settings : { ...stored.modelSettings(model.id), ...settings };
    const options = {
      ...(alone ? rules.defaults : rules.of(model.id).load),
      ...rules.loadSettings(settings),
      ...{ path: model.path, projectorPath: model.projector ?? '' },
      ...{ memoryBytes: pool.memoryFor(model), queueMax: 1, prefixStoreBytes: 0 },
    };
    const wish = {
      contextLength: asked.context_length ?? null,
      parallel: asked.parallel ?? null,
    };
    try {
      const fit: Fit = await fits.estimate(options, wish, gone);
      res.json(fit);
    } catch (error) {
      if (!gone.aborted) throw error;
    }
  };
}
