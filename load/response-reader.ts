/** Turns the bytes of one HTTP/1.1 response into events. Give it latin1 text, which keeps bytes as they are. */

/** No server needs more for its head; what is longer is not HTTP. */
const HEAD_LIMIT = 64 * 1024;
const PROTOCOL = 'HTTP/1.';
/** Characters of a body that is not a stream: more than any list of models, and less than would do harm. */
const BODY_LIMIT = 16 * 1024 * 1024;

export class ResponseReader {
  /** 0 until the head is there. */
  status = 0;
  /** What came instead of events. */
  body = '';
  /** What came is not HTTP/1.1: null, or what is wrong with it. Nothing more is read then. */
  problem: string | null = null;
  /** The body is a stream of events. */
  isEvents = false;
  private head = '';
  private state: 'head' | 'size' | 'data' | 'gap' | 'raw' | 'trailer' | 'end' = 'head';
  private rest = '';
  /** Bytes of the current chunk, or of the whole body, that are still to come. */
  private left = 0;
  private line = '';
  private data: string | null = null;

  /** @param onEvent gets the data of each event, still as latin1 */
  constructor(private readonly onEvent: (data: string) => void) {}

  /** The response is complete. */
  get done(): boolean {
    return this.state === 'end';
  }

  /** Whether the response is complete where the connection is over now: one without a length ends with it. */
  get isWhole(): boolean {
    return this.done || (this.state === 'raw' && this.left === Number.POSITIVE_INFINITY);
  }

  /** An event has begun, and the empty line that would end it has not come. */
  get isInEvent(): boolean {
    return this.line !== '' || this.data !== null;
  }

  /** The body, decoded. */
  get text(): string {
    return Buffer.from(this.body, 'latin1').toString('utf8');
  }

  /** @returns null where the response has no such header */
  header(name: string): string | null {
    return new RegExp(`\r\n${name}:[ \t]*([^\r]*)`, 'i').exec(this.head)?.[1]?.trim() ?? null;
  }

  push(text: string): void {
    let input = this.rest === '' ? text : this.rest + text;
    this.rest = '';
    while (input !== '' && this.state !== 'end') {
      if (this.state === 'data' || this.state === 'raw') {
        const part = input.length > this.left ? input.slice(0, this.left) : input;
        input = input.slice(part.length);
        this.left -= part.length;
        this.take(part);
        if (this.left === 0) this.state = this.state === 'data' ? 'gap' : 'end';
        continue;
      }
      const ending = this.state === 'head' ? '\r\n\r\n' : '\r\n';
      const at = input.indexOf(ending);
      if (at < 0) {
        this.rest = input;
        if (this.state === 'head') this.checkHead(input);
        return;
      }
      const piece = input.slice(0, at);
      input = input.slice(at + ending.length);
      if (this.state === 'head') this.readHead(piece);
      else if (this.state === 'gap') this.state = 'size';
      else if (this.state === 'trailer') this.state = piece === '' ? 'end' : 'trailer';
      else this.readSize(piece);
    }
  }

  private stop(problem: string): void {
    this.problem = problem;
    this.state = 'end';
  }

  private checkHead(text: string): void {
    const begin = text.slice(0, PROTOCOL.length);
    if (begin !== PROTOCOL.slice(0, begin.length)) this.stop('it does not speak HTTP/1.1');
    else if (text.length > HEAD_LIMIT) this.stop('the head of its answer has no end');
  }

  private readHead(head: string): void {
    this.checkHead(head);
    if (this.problem !== null) return;
    const status = Number(head.slice(9, 12));
    // 100 Continue and its like come before the response.
    if (status >= 100 && status < 200) return;
    this.head = head;
    this.status = status;
    this.isEvents = (this.header('content-type') ?? '')
      .toLowerCase()
      .startsWith('text/event-stream');
    if (this.header('transfer-encoding')?.toLowerCase() === 'chunked') {
      this.state = 'size';
      return;
    }
    this.left = Number(this.header('content-length') ?? Number.POSITIVE_INFINITY);
    this.state = this.left === 0 ? 'end' : 'raw';
  }

  private readSize(piece: string): void {
    this.left = /^[0-9a-f]{1,12}(?![0-9a-f])/i.test(piece) ? Number.parseInt(piece, 16) : -1;
    if (this.left < 0) this.stop('a chunk of its answer has no size');
    else this.state = this.left > 0 ? 'data' : 'trailer';
  }

  private take(text: string): void {
    if (!this.isEvents) {
      if (this.body.length < BODY_LIMIT) this.body += text;
      return;
    }
    let from = 0;
    for (;;) {
      const at = text.indexOf('\n', from);
      if (at < 0) break;
      const line = this.line + text.slice(from, at);
      this.line = '';
      from = at + 1;
      this.takeLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    this.line += text.slice(from);
  }

  private takeLine(line: string): void {
    if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      this.data = this.data === null ? value : `${this.data}\n${value}`;
    } else if (line === '' && this.data !== null) {
      this.onEvent(this.data);
      this.data = null;
    }
  }
}
