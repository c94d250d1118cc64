const GB = 1e9;

/** Bytes as they are typed, in GB: "8", "11.6"; '' for automatic. */
export function gigabytesText(bytes: number | null): string {
  return bytes === null ? '' : String(Math.round(bytes / (GB / 100)) / 100);
}

/** Bytes of a text in GB; null: automatic; undefined: that is no size. */
export function bytesOf(text: string): number | null | undefined {
  const typed = text.trim().replace(',', '.');
  if (typed === '') return null;
  const bytes = Math.round(Number(typed) * GB);
  return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined;
}
