/** Bytes of a text, in whatever encoding → the text. Pure. */
import chardet from 'chardet';
import iconv from 'iconv-lite';

/** Bytes that the encoding is guessed from, and characters that are looked at: further on it is no other text. */
const SAMPLE = 256 * 1024;

/** Share of characters that no text has, from which on it is none. */
const STRANGE_SHARE = 0.01;

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
const STRANGE = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g;

/** Byte order marks, the longer ones first: that of UTF-32LE begins as that of UTF-16LE. */
const MARKS: readonly [encoding: string, mark: readonly number[]][] = [
  ['utf-32le', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-32be', [0x00, 0x00, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Of a text in Unicode, of which nothing has to be guessed.
 * @param isWhole False: it goes on, and the last character may be cut in two.
 * @returns null where it is none.
 */
export function decodeUnicode(bytes: Uint8Array, isWhole = true): string | null {
  const marked = MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte));
  if (marked !== undefined) return textOrNull(iconv.decode(Buffer.from(bytes), marked[0]));
  const text = bytes.includes(0) ? null : strictUtf8(bytes, isWhole);
  return text === null ? null : textOrNull(text);
}

/** Of one in any encoding. @param isWhole As of decodeUnicode. @returns null where it is none. */
export function decodeText(bytes: Uint8Array, isWhole = true): string | null {
  const unicode = decodeUnicode(bytes, isWhole);
  if (unicode !== null) return unicode;
  for (const { name } of chardet.analyse(bytes.subarray(0, SAMPLE))) {
    if (!iconv.encodingExists(name)) continue;
    const text = textOrNull(iconv.decode(Buffer.from(bytes), name));
    if (text !== null) return text;
  }
  return null;
}

function strictUtf8(bytes: Uint8Array, isWhole: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return null;
  }
}

function textOrNull(text: string): string | null {
  const sample = text.slice(0, SAMPLE);
  const strange = sample.match(STRANGE)?.length ?? 0;
  return strange > sample.length * STRANGE_SHARE || text.includes('\0') ? null : text;
}
