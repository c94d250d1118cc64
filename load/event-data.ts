/** The data of an event, from its bytes. */
import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { printable } from './printable.js';

const BEYOND_ASCII = /[\x80-\xff]/;

/** What an event holds, or why it holds nothing, with what came instead. */
export type EventData =
  | { problem: null; value: unknown }
  | { problem: 'not_utf8' | 'not_json'; shown: string };

/** @param latin1 the bytes, a character each */
export function readData(latin1: string): EventData {
  const bytes = BEYOND_ASCII.test(latin1) ? Buffer.from(latin1, 'latin1') : null;
  if (bytes !== null && !isUtf8(bytes)) return { problem: 'not_utf8', shown: printable(latin1) };
  const text = bytes === null ? latin1 : bytes.toString('utf8');
  const value = jsonOf(text);
  return value === undefined
    ? { problem: 'not_json', shown: printable(text) }
    : { problem: null, value };
}

/** @returns undefined where it is not JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What does not fit, in a few words: where it is, and what was expected. */
export function misfit(error: z.ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.join('.') || 'the event';
  return printable(`${place}: ${issue?.message ?? 'not as expected'}`);
}
