/** Identifiers that go over the wire. */
import { randomBytes } from 'node:crypto';

/** A new id such as "chatcmpl-9f86d081884c7d659a2feaa0" (96 random bits). */
export function createId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`;
}

/** What a client may choose as its request id: short, printable, and harmless in a header and in a log line. */
const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

/** The client's own request id where it is sane, else a new one. */
export function requestId(incoming: string | string[] | undefined): string {
  return typeof incoming === 'string' && SANE_REQUEST_ID.test(incoming)
    ? incoming
    : createId('req_');
}
