/** Text that came from a server, as it can be shown. */

const LIMIT = 300;

/**
 * Without control characters, which a terminal would obey, and without the key, which some servers repeat; cut to some
 * lines.
 */
export function printable(text: string, key: string | null = null): string {
  const hidden = key === null ? text : text.replaceAll(key, '[key]');
  const plain = hidden.replace(/[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
  return plain.length > LIMIT ? `${plain.slice(0, LIMIT)}…` : plain;
}
