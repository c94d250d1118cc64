/** The last lines that a program wrote, as text that can be shown anywhere. */
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

const LINES_MAX = 200;

/** Characters of a line; the rest of a longer one is lost. */
const LINE_MAX = 1_000;

export class LogTail {
  readonly #lines: string[] = [];
  readonly #decoder = new StringDecoder('utf8');
  /** Of a line whose end is not there yet. */
  #begun = '';

  /** @param onChange There are new lines. */
  constructor(private readonly onChange: () => void) {}

  get lines(): readonly string[] {
    return this.#lines;
  }

  add(written: Buffer | string): void {
    const text = typeof written === 'string' ? written : this.#decoder.write(written);
    const lines = text.split(/\r?\n/);
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#push(this.#begun + line);
      this.#begun = '';
    }
    this.#begun = (this.#begun + last).slice(0, LINE_MAX);
    if (lines.length > 0) this.onChange();
  }

  /** Nothing more comes: a line without an end is one. */
  flush(): void {
    this.#push(this.#begun + this.#decoder.end());
    this.#begun = '';
    this.onChange();
  }

  #push(line: string): void {
    const shown = stripVTControlCharacters(line.slice(0, LINE_MAX))
      .replace(/\t/g, '  ')
      .replace(/[\p{Cc}\p{Cs}]/gu, '');
    if (shown.trim() === '') return;
    this.#lines.push(shown);
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
  }
}
