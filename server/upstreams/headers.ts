/** Headers of an answer that say whose it is, and what it had from there. */
import { RECEIPT_HEADER } from '../../protocol/ledger.js';

/** The upstream's own, beside which the client has ours. */
export const RENAMED: Readonly<Record<string, string>> = {
  'x-request-id': 'x-pilotlight-upstream-request-id',
  'request-id': 'x-pilotlight-upstream-request-id',
  [RECEIPT_HEADER]: 'x-pilotlight-upstream-receipt',
};

/** Which upstream answers, by its name. */
export const UPSTREAM_HEADER = 'x-pilotlight-upstream';

/** Those that are there beside what the upstream's own headers say. */
export const UPSTREAM_HEADERS = [...new Set([UPSTREAM_HEADER, ...Object.values(RENAMED)])];
