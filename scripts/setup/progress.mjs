// What set-up shows: numbered steps, one updating line on a terminal, plain lines elsewhere.

const BUILD_LINE = /^\[\s*(\d+)\/(\d+)\]/;
const MAKE_LINE = /^\[\s*(\d+)%\]/;
/** Without a terminal a line is printed each time this much more is done. */
const PLAIN_STEP_PERCENT = 10;
/** Redraws on a terminal are at least this far apart. */
const REDRAW_MS = 100;

/**
 * How far a build is, from one line of ninja ("[12/255] …") or make ("[ 12%] …").
 * @param {string} line
 * @returns {{ percent: number, detail: string } | null} percent 0..100; null for any other line
 */
export function parseBuildLine(line) {
  const ninja = BUILD_LINE.exec(line);
  if (ninja) {
    const n_done = Number(ninja[1]);
    const n_total = Number(ninja[2]);
    if (n_total === 0 || n_done > n_total) return null;
    return { percent: Math.floor((n_done / n_total) * 100), detail: `${n_done} of ${n_total}` };
  }
  const make = MAKE_LINE.exec(line);
  if (make && Number(make[1]) <= 100) return { percent: Number(make[1]), detail: '' };
  return null;
}

/**
 * A duration for people: "0.4 s", "12 s", "3 min 5 s".
 * @param {number} ms
 */
export function formatDuration(ms) {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** One numbered step on the screen. */
export class StepLine {
  #prefix;
  #stream;
  #live;
  #startedAt = Date.now();
  #drawnAt = 0;
  #printedPercent = 0;

  /**
   * @param {number} number from 1
   * @param {number} n_steps
   * @param {string} title
   * @param {{ isTTY?: boolean, columns?: number, write(text: string): unknown }} [stream]
   */
  constructor(number, n_steps, title, stream = process.stderr) {
    this.#prefix = `[${number}/${n_steps}] ${title}`;
    this.#stream = stream;
    this.#live = Boolean(stream.isTTY) && !process.env.CI;
  }

  /** @param {string} [what] */
  start(what) {
    const text = what ? `${this.#prefix}: ${what} …` : `${this.#prefix} …`;
    if (this.#live) this.#draw(text);
    else this.#stream.write(`${text}\n`);
  }

  /**
   * A new phase of the same step.
   * @param {string} what
   */
  phase(what) {
    this.#printedPercent = 0;
    this.start(what);
  }

  /**
   * @param {number} percent 0..100
   * @param {string} [detail]
   */
  percent(percent, detail) {
    const suffix = detail ? ` (${detail})` : '';
    if (this.#live) {
      if (Date.now() - this.#drawnAt < REDRAW_MS && percent < 100) return;
      this.#draw(`${this.#prefix} … ${percent} %${suffix}, ${this.#elapsed()}`);
    } else if (percent >= this.#printedPercent + PLAIN_STEP_PERCENT && percent < 100) {
      this.#printedPercent = percent - (percent % PLAIN_STEP_PERCENT);
      this.#stream.write(`${this.#prefix} … ${percent} %${suffix}\n`);
    }
  }

  /** @param {string} text a whole line that stays on the screen */
  note(text) {
    this.#clear();
    this.#stream.write(`      ${text}\n`);
  }

  /** @param {string} [note] */
  done(note) {
    this.#clear();
    const suffix = note ? ` (${note})` : '';
    this.#stream.write(`${this.#prefix} … done in ${this.#elapsed()}${suffix}\n`);
  }

  already() {
    this.#stream.write(`${this.#prefix} … already there\n`);
  }

  failed() {
    this.#clear();
    this.#stream.write(`${this.#prefix} … failed after ${this.#elapsed()}\n`);
  }

  #elapsed() {
    return formatDuration(Date.now() - this.#startedAt);
  }

  /** @param {string} text */
  #draw(text) {
    this.#drawnAt = Date.now();
    const width = (this.#stream.columns ?? 80) - 1;
    this.#stream.write(`\r\u001b[K${text.slice(0, width)}`);
  }

  #clear() {
    if (this.#live) this.#stream.write('\r\u001b[K');
  }
}
