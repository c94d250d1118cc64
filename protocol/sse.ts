/**
 * Server-sent events as text, https://html.spec.whatwg.org/multipage/server-sent-events.html. Comments are kept,
 * because the server tells its progress in them; `id` and `retry` are not used by any of our routes.
 */
export type SseItem =
  | { type: 'message'; event: string; data: string }
  | { type: 'comment'; text: string };

/** One line longer than this is no event of ours; the limit keeps a broken peer from filling the memory. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024;

/** Turns text chunks, cut anywhere, into events. One parser per stream. */
export class SseParser {
  #line = '';
  #data: string[] = [];
  #event = '';
  #atStart = true;
  /** The last chunk ended in CR: an LF at the beginning of the next one belongs to it. */
  #afterCr = false;

  /**
   * The events that `chunk` completes, in order.
   * @throws RangeError when a line is longer than 16 Mi characters.
   */
  push(chunk: string): SseItem[] {
    const items: SseItem[] = [];
    let text = chunk;
    if (text === '') return items;
    if (this.#atStart) {
      this.#atStart = false;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    if (this.#afterCr) {
      if (text === '') return items;
      this.#afterCr = false;
      if (text.startsWith('\n')) text = text.slice(1);
    }
    let start = 0;
    for (let i = 0; i < text.length; i += 1) {
      const c = text.charCodeAt(i);
      if (c !== 10 && c !== 13) continue;
      const item = this.#endLine(this.#line + text.slice(start, i));
      this.#line = '';
      if (item) items.push(item);
      if (c === 13) {
        if (i + 1 === text.length) this.#afterCr = true;
        else if (text.charCodeAt(i + 1) === 10) i += 1;
      }
      start = i + 1;
    }
    this.#line += text.slice(start);
    if (this.#line.length > LINE_LENGTH_MAX) throw new RangeError('An event line is too long.');
    return items;
  }

  #endLine(line: string): SseItem | null {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (colon === 0) return { type: 'comment', text: value };
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    return null;
  }

  #dispatch(): SseItem | null {
    const data = this.#data;
    const event = this.#event;
    this.#data = [];
    this.#event = '';
    if (data.length === 0) return null;
    return { type: 'message', event: event === '' ? 'message' : event, data: data.join('\n') };
  }
}
