/**
 * Newline-delimited JSON: one JSON text a line. The keep-alive is a space: it becomes white space before the next line's
 * JSON text, which every parser passes over, while a blank line is an error to many (ollama-js warns).
 */
import type { Request, Response } from 'express';
import { type Payload, ResponseStream } from './response-stream.js';

export class NdjsonStream extends ResponseStream {
  private constructor(res: Response) {
    // There is no place for words in this format, so there is no news to tell.
    super(res, () => null);
  }

  /** Sends the headers at once. */
  static async open(this: void, _req: Request, res: Response): Promise<NdjsonStream> {
    res.status(200).set({
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    res.flushHeaders();
    return new NdjsonStream(res);
  }

  /** Events have no names in this format. */
  protected override write(payloads: readonly Payload[]): void {
    const lines = payloads.map((payload) => (typeof payload === 'string' ? payload : payload.data));
    this.res.write(`${lines.join('\n')}\n`);
  }

  protected override writeComment(): void {
    this.res.write(' ');
  }
}
