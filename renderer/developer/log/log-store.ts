/** The log's lines as its stream tells them; paused, what comes meanwhile is shown when it goes on. */
import { LOG_LEVELS, type LogLine, logEventSchema } from '../../../protocol/serving.js';
import type { ApiError } from '../../api/error.js';
import { followEvents } from '../../api/follow-events.js';
import { LOG_EVENTS } from '../../api/serving.js';
import { Store } from '../../shell/store.js';

/** As many as the server holds. */
export const MAX_LINES = 1_000;

export type Level = LogLine['level'];

export interface Tail {
  /** Null until the first ones have come. */
  lines: readonly LogLine[] | null;
  paused: boolean;
  /** Lines that have come since it was paused. */
  waiting: number;
  trouble: ApiError | null;
}

export class LogStore extends Store<Tail> {
  #held: readonly LogLine[] = [];

  constructor() {
    super({ lines: null, paused: false, waiting: 0, trouble: null });
  }

  follow(signal: AbortSignal): void {
    void followEvents(LOG_EVENTS, logEventSchema, signal, {
      // A new connection begins with all lines again.
      onOpen: () => {
        this.#held = [];
        this.update({ trouble: null });
      },
      onEvent: ({ lines }) => this.add(lines),
      onTrouble: (trouble) => this.update({ trouble }),
    });
  }

  add(lines: readonly LogLine[]): void {
    this.#held = [...this.#held, ...lines].slice(-MAX_LINES);
    const { paused, waiting } = this.snapshot();
    if (paused) this.update({ waiting: waiting + lines.length });
    else this.update({ lines: this.#held });
  }

  pause(paused: boolean): void {
    this.update(paused ? { paused } : { paused, waiting: 0, lines: this.#held });
  }
}

/** Lines of at least this level in which all of the words stand somewhere. */
export function matching(lines: readonly LogLine[], least: Level, words: string): LogLine[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const from = LOG_LEVELS.indexOf(least);
  return lines.filter((line) => {
    if (LOG_LEVELS.indexOf(line.level) < from) return false;
    const text = lineText(line).toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** A line as it is copied and searched. */
export function lineText({ time, level, message, fields }: LogLine): string {
  return [time, level, message, fieldsText(fields)].filter((part) => part !== '').join(' ');
}

/** "status=404 path=/v1/nothing"; ids, which nobody reads, come last. */
export function fieldsText(fields: LogLine['fields']): string {
  const { requestId, receipt, ...told } = fields;
  return Object.entries({ ...told, requestId, receipt })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
