/** When an answer's tokens came and its bytes left, in bounded memory. Pure. */

/** Milliseconds since the begin, tokens that were sampled, bytes that were sent. */
export type TimelineEntry = [ms: number, tokens: number, bytes: number];

/** Enough to draw; an answer of thousands of tokens is told in pairs, fours and so on. */
export const ENTRIES_MAX = 1024;

/** Bytes that leave within so many milliseconds of a step are its tokens on their way. */
const SAME_STEP_MS = 5;

export class Timeline {
  #entries: TimelineEntry[] = [];

  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  sampled(ms: number, tokens: number): void {
    if (tokens > 0) this.#add([tenths(ms), tokens, 0]);
  }

  sent(ms: number, bytes: number): void {
    if (bytes === 0) return;
    const last = this.#entries.at(-1);
    if (last && last[2] === 0 && ms - last[0] <= SAME_STEP_MS) last[2] = bytes;
    else this.#add([tenths(ms), 0, bytes]);
  }

  #add(entry: TimelineEntry): void {
    if (this.#entries.length === ENTRIES_MAX) this.#entries = inPairs(this.#entries);
    this.#entries.push(entry);
  }
}

function inPairs(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const pairs: TimelineEntry[] = [];
  for (let i = 0; i < entries.length; i += 2) {
    const [first, second] = [entries[i], entries[i + 1]];
    if (first) pairs.push(second ? join(first, second) : first);
  }
  return pairs;
}

const join = (first: TimelineEntry, second: TimelineEntry): TimelineEntry => [
  second[0],
  first[1] + second[1],
  first[2] + second[2],
];

const tenths = (ms: number) => Math.round(ms * 10) / 10;
