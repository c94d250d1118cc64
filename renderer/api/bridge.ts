import type { DesktopBridge } from '../../protocol/bridge.js';

declare global {
  interface Window {
    /** Put there by the desktop's preload script. */
    readonly pilotlight?: DesktopBridge;
  }
}

/** What only the desktop can do; null in a browser, and where tests run without any. */
export const desktop: DesktopBridge | null = globalThis.window?.pilotlight ?? null;
