import type { Download } from '../../protocol/downloads.js';

const STORAGE_KEY = 'pilotlight.download_speed';

/** Keeps how fast models come, so that it can be said how long the next one takes. */
export function noteSpeed(downloads: readonly Pick<Download, 'bytes_per_second'>[]): void {
  const together = downloads.reduce(
    (sum, { bytes_per_second }) => sum + (bytes_per_second ?? 0),
    0,
  );
  if (together <= 0) return;
  try {
    localStorage.setItem(STORAGE_KEY, String(Math.round(together)));
  } catch {
    // Without storage nothing is known of it next time.
  }
}

/** Bytes a second of the last download that this browser has seen; null: it has seen none. */
export function lastSpeed(): number | null {
  try {
    const speed = Number(localStorage.getItem(STORAGE_KEY));
    return Number.isFinite(speed) && speed > 0 ? speed : null;
  } catch {
    return null;
  }
}
