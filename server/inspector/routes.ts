/** The inspector's routes but for its events. All of them are for the person only: see owner-guard.ts. */
import type { Request, Response } from 'express';
import type { z } from 'zod';
import {
  type cancelledRequestSchema,
  type InspectedRequest,
  type InspectorState,
  inspectorSwitchSchema,
  MAX_KEEP,
  type replayedRequestSchema,
  type snippetsSchema,
} from '../../protocol/inspector.js';
import { ApiError } from '../http/errors.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import type { Capture } from './capture.js';
import { replay } from './replay.js';
import { snippetsOf } from './snippets.js';

type RequestWithId = Request<{ id: string }>;

/** GET /pilotlight/inspector */
export function inspectorState({ inspector }: Services) {
  return (_req: Request, res: Response): void => {
    const answer: InspectorState = inspector.state();
    res.json(answer);
  };
}

const WORDS = { enabled: 'true or false', keep: `a whole number from 1 to ${MAX_KEEP}` };

/** PUT /pilotlight/inspector/switch */
export function putInspectorSwitch({ inspector }: Services) {
  return (req: Request, res: Response): void => {
    const { enabled, keep } = parseBody(inspectorSwitchSchema, req.body, WORDS);
    inspector.switch(enabled, keep);
    const answer: InspectorState = inspector.state();
    res.json(answer);
  };
}

/** GET /pilotlight/inspector/requests/ID */
export function inspectedRequest(services: Services) {
  return (req: RequestWithId, res: Response): void => {
    const answer: InspectedRequest = services.inspector.detail(captureOf(services, req));
    res.json(answer);
  };
}

/** POST /pilotlight/inspector/requests/ID/cancel */
export function cancelRequest({ inspector }: Services) {
  return ({ params: { id } }: RequestWithId, res: Response): void => {
    const exchange = inspector.findLive(id);
    if (exchange === null || exchange.over.aborted) {
      throw new ApiError(404, `No request "${id.slice(0, 100)}" is under way.`, {
        code: 'request_not_found',
      });
    }
    exchange.cancel();
    const answer: z.infer<typeof cancelledRequestSchema> = { id, cancelled: true };
    res.json(answer);
  };
}

/** POST /pilotlight/inspector/requests/ID/replay */
export function replayRequest(services: Services) {
  return async (req: RequestWithId, res: Response): Promise<void> => {
    const capture = captureOf(services, req);
    const { authorization, 'x-api-key': apiKey } = req.headers;
    const key = {
      ...(authorization === undefined ? {} : { authorization }),
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    };
    const id = await replay(services.inspector, capture, services.serving.ownUrl, key);
    const answer: z.infer<typeof replayedRequestSchema> = {
      id,
      replay_of: capture.head.id,
    };
    res.json(answer);
  };
}

/** GET /pilotlight/inspector/requests/ID/snippets */
export function requestSnippets(services: Services) {
  return (req: RequestWithId, res: Response): void => {
    const { body, head, model } = captureOf(services, req);
    if (body === null) {
      throw new ApiError(
        409,
        'This request cannot be written as code: its body was no JSON, or there was no room to keep it.',
        { code: 'no_body' },
      );
    }
    const answer: z.infer<typeof snippetsSchema> = {
      snippets: snippetsOf({
        url: services.serving.ownUrl,
        route: head.route,
        body: JSON.parse(body),
        model,
      }),
    };
    res.json(answer);
  };
}

/** @throws ApiError 404 */
function captureOf({ inspector }: Services, { params: { id } }: RequestWithId): Capture {
  const capture = inspector.find(id);
  if (capture !== null) return capture;
  throw new ApiError(
    404,
    inspector.on === null
      ? 'The inspector is off, so nothing of any request is kept.'
      : `Nothing is kept of a request "${id.slice(0, 100)}": it began while the inspector was off, or later ones have taken its place.`,
    { code: 'request_not_found' },
  );
}
