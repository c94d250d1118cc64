/**
 * GET /v1/receipts/{id}. Whoever may use the server and holds an id may read its receipt: ids are 96 random bits, and a
 * receipt tells nothing of what was asked or answered.
 */
import type { Request, Response } from 'express';
import { ApiError } from '../http/errors.js';
import type { Services } from '../services.js';
import { receiptOf } from './receipt.js';

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
      throw new ApiError(
        404,
        'The receipt is not there yet: the request has not ended, or its row could not be written so far.',
        {
          param: 'receipt_id',
          code: 'receipt_not_ready',
        },
      );
    }
    res.json(receiptOf(found));
  };
}
