/** One row as bytes: what is hashed, signed and kept. Pure. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { LedgerDraft, LedgerRow } from '../../protocol/ledger.js';

/** `previous` of the first row. */
export const NO_ROW = '0'.repeat(64);

/** SPKI of Ed25519 (RFC 8410) up to the key's 32 bytes. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/**
 * RFC 8785 for what rows hold: objects, strings, whole numbers, booleans and null. A member that is undefined is none.
 * Half a surrogate pair, which has no bytes, becomes U+FFFD.
 */
export function canonicalText(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(Buffer.from(value).toString());
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, member]) =>
      member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalText(member)}`],
    );
  return `{${members.join()}}`;
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

export interface Place {
  seq: number;
  previous: string;
  /** Of the signer, as in the row. */
  key: string;
  writtenAt: number;
}

export function rowText(draft: LedgerDraft, place: Place): string {
  const { seq, previous, key, writtenAt } = place;
  const row: LedgerRow = { v: 1, seq, previous, key, written_at: writtenAt, ...draft };
  return canonicalText(row);
}

/** @param key As in a row. */
export function publicKeyOf(key: string): KeyObject {
  const der = Buffer.concat([SPKI_HEAD, Buffer.from(key, 'base64')]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}

/** As in a row. */
export function keyText(publicKey: KeyObject): string {
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return der.subarray(SPKI_HEAD.length).toString('base64');
}

/** False also for what is no signature at all. */
export function isSigned(text: string, signature: Uint8Array, key: KeyObject): boolean {
  return verify(null, Buffer.from(text, 'utf8'), key, signature);
}
