import { desktop } from './bridge.js';

const STORAGE_KEY = 'pilotlight.api-key';

let fromDesktop: Promise<string> | null = null;

/** The key that opens the API: the desktop's own, or the one the person typed in this tab; null: none is known. */
export async function currentKey(): Promise<string | null> {
  if (desktop) {
    fromDesktop ??= desktop.windowKey();
    try {
      return await fromDesktop;
    } catch {
      fromDesktop = null;
      return null;
    }
  }
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

/** Keeps a key until this tab is closed. */
export function rememberKey(key: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, key);
  } catch {
    // Storage can be switched off in a browser; the key is then asked for again.
  }
}

/** A key that the server refused is not tried again. */
export function forgetKey(): void {
  fromDesktop = null;
  try {
    sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // See rememberKey.
  }
}
