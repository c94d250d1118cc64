/** POST /pilotlight/requests/{id}/cancel: ends a request for the person here; its client is told so. */
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { cancelledRequestSchema } from '../../protocol/inspector.js';
import { ApiError } from '../http/errors.js';
import type { Services } from '../services.js';

/** The id is the `x-request-id` of its answer, as in the lists of the state. */
export function cancelByRequestId({ exchanges }: Services) {
  return ({ params: { id } }: Request<{ id: string }>, res: Response): void => {
    if (!exchanges.cancel(id)) {
      throw new ApiError(404, `No request "${id.slice(0, 100)}" is under way.`, {
        code: 'request_not_found',
      });
    }
    const answer: z.infer<typeof cancelledRequestSchema> = { id, cancelled: true };
    res.json(answer);
  };
}
