/** The latest lines of the log, in memory: what the file had at the start, and what was written since. Bounded. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { LOG_LEVELS, type LogLine } from '../../protocol/serving.js';

/** Lines that are held: some minutes of a busy server, and a few hundred kilobytes. */
const MAX_LINES = 1_000;

/** Longest line that is shown, in characters: an error's stack has a few thousand. */
const MAX_LENGTH = 16_384;

/** What is read of the file at the start, in bytes. */
const FILE_BYTES = 128 * 1024;

const storedSchema = z.looseObject({
  level: z.number(),
  time: z.string(),
  msg: z.string().optional(),
});

export class LogTail {
  #lines: LogLine[] = [];
  #count = 0;
  readonly #listeners = new Set<() => void>();

  /** @param file Of the log; null: there is none. */
  constructor(readonly file: string | null) {
    for (const line of file === null ? [] : lastLines(file)) this.add(line);
  }

  /** A line as it is in the file. */
  add(text: string): void {
    const line = text.length > MAX_LENGTH ? null : readLine(text);
    if (line === null) return;
    this.#count += 1;
    this.#lines.push({ n: this.#count, ...line });
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
    for (const listener of this.#listeners) listener();
  }

  /** The latest ones that come after number `n`; 0: of all. */
  after(n: number): LogLine[] {
    return this.#lines.slice(-MAX_LINES).filter((line) => line.n > n);
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function readLine(text: string): Omit<LogLine, 'n'> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const stored = storedSchema.safeParse(value);
  if (!stored.success) return null;
  const { level, time, msg = '', pid: _, ...fields } = stored.data;
  // pino's levels are 10, 20, … 60.
  const name = LOG_LEVELS[Math.min(Math.max(Math.round(level / 10), 1), LOG_LEVELS.length) - 1];
  return { time, level: name ?? 'info', message: msg, fields };
}

function lastLines(file: string): string[] {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const from = Math.max(0, size - FILE_BYTES);
      const bytes = Buffer.alloc(size - from);
      const read = readSync(descriptor, bytes, 0, bytes.length, from);
      const lines = bytes.toString('utf8', 0, read).split('\n');
      // The first one may have lost its beginning.
      return from === 0 ? lines : lines.slice(1);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return [];
  }
}
