import type { Outcome } from '../../protocol/ledger.js';
import type { Exchange, ExchangeEnd } from './exchange.js';

/** How a request ended, as receipts, totals and metrics tell it. */
export function outcomeOf(
  { isCancelled }: Pick<Exchange, 'isCancelled'>,
  end: ExchangeEnd,
): Exclude<Outcome, 'cut'> {
  if (isCancelled) return 'cancelled';
  if (!end.complete) return 'left';
  return end.errorCode === null && end.status < 400 ? 'answered' : 'failed';
}
