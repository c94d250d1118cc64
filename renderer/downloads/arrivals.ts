import type { Download } from '../../protocol/downloads.js';

/** Of `after`, those that have come to their end since `before`; of the first list nothing is news. */
export function arrivals(
  before: readonly Download[] | null,
  after: readonly Download[],
): Download[] {
  if (before === null) return [];
  const statuses = new Map(before.map((download) => [download.id, download.status]));
  return after.filter(({ id, status }) => {
    const ended = status === 'done' || status === 'failed';
    // One that nobody saw on its way has ended at once, which is news as well.
    return ended && statuses.get(id) !== status;
  });
}
