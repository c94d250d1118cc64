/** PUT /pilotlight/current-model: switches at once; the state stream tells how the loading goes. */
import type { Request, Response } from 'express';
import { selectModelSchema } from '../../protocol/models.js';
import { invalidRequest } from '../http/errors.js';
import type { Services } from '../services.js';

export function putCurrentModel({ current, state }: Services) {
  return (req: Request, res: Response): void => {
    const parsed = selectModelSchema.safeParse(req.body);
    if (!parsed.success) {
      throw invalidRequest('The body must be {"model": "ID"}, with the id of a model.', 'model');
    }
    current.select(parsed.data.model);
    res.json(state.now());
  };
}
