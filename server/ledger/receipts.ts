/**
 * GET /v1/receipts/{id}. Whoever may use the server and holds an id may read its receipt: ids are 96 random bits, and a
 * receipt tells nothing of what was asked or answered.
 */
import type { Request, Response } from 'express';
import { type Receipt, requestRowSchema } from '../../protocol/ledger.js';
import { ApiError } from '../http/errors.js';
import type { Services } from '../services.js';
import { hashOf, publicKeyOf } from './row.js';
import type { StoredRow } from './table.js';

export function retrieveReceipt({ ledger }: Services) {
  return (req: Request, res: Response): void => {
    const { id } = req.params as { id: string };
    const found = ledger.find(id);
    if (found === null) {
      throw new ApiError(404, `There is no receipt "${id.slice(0, 100)}" that is kept here.`, {
        param: 'receipt_id',
        code: 'receipt_not_found',
      });
    }
    if (found === 'open') {
      throw new ApiError(404, 'The request has not ended yet; its receipt is made then.', {
        param: 'receipt_id',
        code: 'receipt_not_ready',
      });
    }
    res.json(receiptOf(id, found));
  };
}

/** @throws where the row in the database is none of ours. */
export function receiptOf(id: string, { text, signature }: StoredRow): Receipt {
  const row = requestRowSchema.parse(JSON.parse(text));
  return {
    object: 'receipt',
    id,
    row,
    hash: hashOf(text),
    signature: Buffer.from(signature).toString('base64'),
    public_key: publicKeyOf(row.key).export({ format: 'pem', type: 'spki' }).toString(),
  };
}
