/** How the hub of tests hands out the bytes of a file, and what may go wrong with them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestFile } from './test-hub-repos.js';

/** Offsets are of the file, not of the answer. */
export type ByteFault =
  /** The connection breaks before this byte. */
  | { kind: 'drop'; at: number }
  /** Nothing comes from this byte on, and the connection stays. */
  | { kind: 'stall'; at: number }
  /** One byte is another, each time that it is sent. */
  | { kind: 'flip'; at: number }
  /** `Range` is not looked at: 200 with the whole file. */
  | { kind: 'ignore-range' }
  /** Content-Length tells more, or less, than comes. */
  | { kind: 'wrong-length'; by: number }
  /** Pieces of `bytes`, one each `everyMs` milliseconds. */
  | { kind: 'trickle'; bytes: number; everyMs: number };

const PIECE = 64 * 1024;

/** Bytes [start, end) that a `Range` header asks for; null: it cannot be had; 'all': it asks for none. */
function rangeOf(header: string | undefined, size: number): [number, number] | 'all' | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return 'all';
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  return start < end ? [start, end] : null;
}

/** Answers GET and HEAD of one file. */
export async function sendBytes(
  req: IncomingMessage,
  res: ServerResponse,
  file: TestFile,
  fault: ByteFault | null,
): Promise<void> {
  const etag = `"${file.sha256}"`;
  // A part of another file is of no use to who asks for the rest of this one.
  const isOther = req.headers['if-range'] !== undefined && req.headers['if-range'] !== etag;
  const noRange = isOther || fault?.kind === 'ignore-range';
  const range = noRange ? 'all' : rangeOf(req.headers.range, file.size);
  res.setHeader('etag', etag);
  res.setHeader('accept-ranges', 'bytes');
  if (range === null) {
    res.writeHead(416, { 'content-range': `bytes */${file.size}` }).end();
    return;
  }
  const [start, end] = range === 'all' ? [0, file.size] : range;
  const lie = fault?.kind === 'wrong-length' ? fault.by : 0;
  res.writeHead(range === 'all' ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'content-length': end - start + lie,
    ...(range === 'all' ? {} : { 'content-range': `bytes ${start}-${end - 1}/${file.size}` }),
  });
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  const last = lie < 0 ? end + lie : end;
  const stop = fault?.kind === 'drop' || fault?.kind === 'stall' ? Math.min(fault.at, last) : last;
  const piece = fault?.kind === 'trickle' ? fault.bytes : PIECE;
  for (let at = start; at < stop && !res.destroyed; at += piece) {
    const bytes = file.bytes(at, Math.min(at + piece, stop));
    if (fault?.kind === 'flip' && fault.at >= at && fault.at < at + bytes.length) {
      bytes[fault.at - at] = (bytes[fault.at - at] ?? 0) ^ 0xff;
    }
    await written(res, bytes);
    if (fault?.kind === 'trickle') await pause(res, fault.everyMs);
  }
  if (fault?.kind === 'stall' && stop < last) return;
  if ((fault?.kind === 'drop' && stop < last) || lie > 0) {
    res.destroy();
    return;
  }
  res.end();
}

/** Resolves when the bytes are with the system, or the connection is gone. */
function written(res: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    res.once('close', resolve);
    res.write(bytes, () => {
      res.off('close', resolve);
      resolve();
    });
  });
}

function pause(res: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      res.off('close', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    res.once('close', end);
  });
}
