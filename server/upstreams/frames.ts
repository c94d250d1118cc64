/**
 * Cuts the bytes of a stream between its events or lines, and changes none: what a broken connection leaves half told
 * can then be left out. Pure.
 */

const LF = 0x0a;
const CR = 0x0d;

/** Longest event that is waited for, in bytes; a longer one goes on as it comes. */
export const FRAME_MAX = 4 * 1024 * 1024;

export type FrameKind = 'events' | 'lines';

export class Frames {
  #held: Buffer = Buffer.alloc(0);
  /** An event longer than FRAME_MAX is under way, whose begin has gone on. */
  #isTooLong = false;

  constructor(private readonly kind: FrameKind) {}

  /** What has been given on so far ends in the middle of an event. */
  get isBroken(): boolean {
    return this.#isTooLong;
  }

  /** @returns the bytes up to the end of the last event that is whole; empty where there is none. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const end = this.#lastEnd(bytes, this.#held.length);
    if (end > 0) this.#isTooLong = false;
    if (this.#isTooLong || bytes.length - end > FRAME_MAX) {
      this.#isTooLong = true;
      this.#held = Buffer.alloc(0);
      return bytes;
    }
    this.#held = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  /** What is held, when the stream has come to a good end. */
  rest(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }

  /** The place after the last end of an event. `seen`: so many bytes at the begin are known to have none. */
  #lastEnd(bytes: Buffer, seen: number): number {
    if (this.kind === 'lines') return bytes.lastIndexOf(LF) + 1;
    for (let i = bytes.length - 1; i > 0 && i >= seen; i--) {
      const byte = bytes[i];
      if ((byte === LF || byte === CR) && endsBlankLine(bytes, i)) return i + 1;
    }
    return 0;
  }
}

/** Whether the line break that ends at `i` follows another one: "\n\n", "\r\r" or "\r\n\r\n". */
function endsBlankLine(bytes: Buffer, i: number): boolean {
  const last = bytes[i];
  const before = bytes[i - 1];
  if (last === CR) return before === CR || before === LF;
  if (before === LF) return true;
  if (before !== CR) return false;
  const earlier = bytes[i - 2];
  return earlier === LF || earlier === CR;
}
