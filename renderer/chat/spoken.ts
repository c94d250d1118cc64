import { speakable } from '../shell/format.js';

/** Enough to know what an answer is about; whoever wants all of it reads it. */
const MAX = 600;
/** Marks are dropped from what is spoken: a text this long has surely enough words. */
const ENOUGH = 4 * MAX;

/** What of an answer is spoken: while it grows, whole sentences only. */
export function spoken(markdown: string, ended: boolean): string {
  const start = markdown.slice(0, ENOUGH);
  return speakable(ended || markdown.length > ENOUGH ? start : wholeSentences(start), MAX);
}

/** The text up to its last sentence or paragraph that has an end, without code that is being written. */
function wholeSentences(markdown: string): string {
  const fences = [...markdown.matchAll(/^(?:```|~~~)/gm)];
  const open = fences.length % 2 === 1 ? fences.at(-1)?.index : undefined;
  const text = markdown.slice(0, open);
  const ends = [...text.matchAll(/[.!?…]["'”’)*_]*(?=\s)|[。！？]|\n(?=\s*\n)/g)];
  const last = ends.at(-1);
  return last ? text.slice(0, last.index + last[0].length) : '';
}
