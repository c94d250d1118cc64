/** Responses that are kept: GET and DELETE /v1/responses/{id}, its input_items, and cancel. */
import type { Request, Response } from 'express';
import type { DeletedResponse, InputItemList } from '../../protocol/response-object.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { queryOf } from '../http/query.js';
import { clientGone, EventStream } from '../http/sse.js';
import type { Services } from '../services.js';
import { StorageError } from '../store/database.js';
import type { ResponseStore } from '../store/responses.js';
import { toPayload } from './encoder.js';
import { replay } from './replay.js';

export function retrieveResponse({ responses }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const id = idOf(req);
    const after = readReplay(queryOf(req));
    const response = responses.find(id) ?? notKept(id);
    if (after === null) {
      res.json(response);
      return;
    }
    const payloads = replay(response).map(toPayload);
    if (after >= payloads.length) {
      throw invalidRequest(
        `starting_after must be at most ${payloads.length - 1}, the number of this stream's last event: it tells each text in one delta, so that its numbers are not those of the first stream.`,
        'starting_after',
      );
    }
    clientGone(res);
    const out = await EventStream.open(req, res);
    await out.end(payloads.slice(after + 1));
  };
}

/** The number of the event after which a stream is to begin, -1 for all of them; null: no stream is wanted. */
function readReplay(query: URLSearchParams): number | null {
  const stream = query.get('stream') ?? 'false';
  if (stream !== 'true' && stream !== 'false') {
    throw invalidRequest('stream must be true or false.', 'stream');
  }
  const after = query.get('starting_after');
  if (after === null) return stream === 'true' ? -1 : null;
  if (stream === 'false') {
    throw invalidRequest('starting_after needs stream=true.', 'starting_after');
  }
  if (!/^\d+$/.test(after)) {
    throw invalidRequest('starting_after must be a whole number of at least 0.', 'starting_after');
  }
  return Number(after);
}

export function deleteResponse({ responses }: Services) {
  return (req: Request, res: Response): void => {
    const id = idOf(req);
    if (!remove(responses, id)) notKept(id);
    const answer: DeletedResponse = { id, object: 'response', deleted: true };
    res.json(answer);
  };
}

function remove(responses: ResponseStore, id: string): boolean {
  try {
    return responses.delete(id);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    // 503: room can be made, and what holds the database lets go of it.
    throw new ApiError(
      503,
      `The response could not be deleted, so that it is still kept whole: ${error.message}.`,
      { code: 'not_deleted' },
    );
  }
}

/** A response is made while its client waits, which ends it by leaving. */
export function cancelResponse({ responses }: Services) {
  return (req: Request): void => {
    const id = idOf(req);
    if (responses.find(id) === null) notKept(id);
    throw invalidRequest(
      'Only a response in the background can be cancelled: others end when their client closes the connection.',
      'response_id',
      'not_in_background',
    );
  };
}

/** Items a page, as at the vendor. */
const PAGE = { least: 1, usual: 20, most: 100 };

export function listInputItems({ responses }: Services) {
  return (req: Request, res: Response): void => {
    const id = idOf(req);
    const items = responses.inputItems(id) ?? notKept(id);
    const query = queryOf(req);
    const limit = Number(query.get('limit') ?? PAGE.usual);
    if (!Number.isInteger(limit) || limit < PAGE.least || limit > PAGE.most) {
      throw invalidRequest(
        `limit must be a whole number from ${PAGE.least} to ${PAGE.most}.`,
        'limit',
      );
    }
    const order = query.get('order') ?? 'desc';
    if (order !== 'asc' && order !== 'desc') {
      throw invalidRequest('order must be "asc" or "desc".', 'order');
    }
    if (order === 'desc') items.reverse();
    const after = query.get('after');
    const before = after === null ? -1 : items.findIndex((item) => item.id === after);
    if (after !== null && before === -1) {
      throw invalidRequest('after must be the id of an input item of this response.', 'after');
    }
    const data = items.slice(before + 1, before + 1 + limit);
    const answer: InputItemList = {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: before + 1 + limit < items.length,
    };
    res.json(answer);
  };
}

function idOf(req: Request): string {
  return (req.params as { id: string }).id;
}

function notKept(id: string): never {
  throw new ApiError(404, `There is no response "${id.slice(0, 100)}" that is kept here.`, {
    param: 'response_id',
    code: 'response_not_found',
  });
}
