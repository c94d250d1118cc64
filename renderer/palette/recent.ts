import { z } from 'zod';

const STORAGE_KEY = 'pilotlight.palette';
const KEPT = 12;
const schema = z.array(z.string()).max(KEPT).catch([]);

/** Ids of what was chosen in the palette, the latest first. */
export function loadRecent(): string[] {
  try {
    return schema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]'));
  } catch {
    return [];
  }
}

/** Puts it first. */
export function rememberRecent(id: string): void {
  const recent = [id, ...loadRecent().filter((other) => other !== id)].slice(0, KEPT);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(recent));
  } catch {
    // Without storage the palette begins with the commands.
  }
}
