import type { AppTray } from './tray.js';

/** What end-to-end tests can reach in the main process, where a person has eyes and a mouse. */
export interface E2eHook {
  tray: AppTray;
  /** Ids of the processes we started. */
  pids(): { server: number | null; engines: number[] };
  /** What the quick question's shortcut does. */
  quickAsk(): void;
}

declare global {
  var pilotlightE2e: E2eHook | undefined;
}

/** Publishes the hook where PILOTLIGHT_E2E=1 asks for it. */
export function publishE2eHook(hook: E2eHook): void {
  if (process.env.PILOTLIGHT_E2E === '1') globalThis.pilotlightE2e = hook;
}
