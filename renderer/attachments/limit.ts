/** Whether a question fits its model, and what would make it fit. Pure. */
import type { Attachment, QuestionCount } from '../../protocol/attachments.js';

/** Tokens that an answer needs at least. */
const ANSWER_TOKENS = 256;

export interface TooLong {
  tokens: number;
  context: number;
  /** A file of which so many pages would fit; null: none would help. */
  part: { attachment: Attachment; pages: number } | null;
}

export interface Counted {
  count: QuestionCount;
  /** That counted. */
  model: string;
}

/** @returns the count that comes nearest to its model's context, or goes furthest beyond it; null: there is none. */
export function tightest(counts: readonly Counted[]): Counted | null {
  const share = ({ count: { tokens, context_size } }: Counted) =>
    (tokens ?? 0) / (context_size ?? 1);
  return counts.reduce<Counted | null>(
    (most, next) => (most === null || share(next) > share(most) ? next : most),
    null,
  );
}

/** @returns null where it fits, or where nobody knows. */
export function tooLong(
  count: QuestionCount | null,
  attached: readonly Attachment[],
): TooLong | null {
  const { tokens = null, context_size: context = null } = count ?? {};
  if (count === null || tokens === null || context === null || tokens < context) return null;
  const parts = attached.flatMap((attachment) => {
    const { id, pages, first_pages: first } = attachment;
    const size = count.attachments[id] ?? 0;
    const shown = first ?? pages;
    if (shown === null || shown < 2 || size === 0) return [];
    const room = context - (tokens - size) - ANSWER_TOKENS;
    const fitting = Math.min(shown - 1, Math.floor((shown * room) / size));
    return fitting < 1 ? [] : [{ attachment, pages: fitting }];
  });
  const [part = null] = parts.sort((a, b) => b.pages - a.pages);
  return { tokens, context, part };
}
