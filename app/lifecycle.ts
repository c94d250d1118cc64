import { app } from 'electron';

/**
 * Makes every way out (menu, tray, SIGINT, SIGTERM, the system's end of session) end all our processes first.
 * @param onQuitting the windows are about to close
 * @param stop ends the other processes; the app waits for it
 */
export function quitCleanly(onQuitting: () => void, stop: () => Promise<void>): void {
  app.on('before-quit', onQuitting);
  app.on('window-all-closed', () => {
    // The tray keeps the app alive; only quitting ends it.
  });
  app.on('will-quit', (event) => {
    event.preventDefault();
    stop()
      .catch((error: unknown) => console.error('Quitting:', error))
      .finally(() => app.exit(0));
  });
}

/**
 * Lets one app run for each data folder: a second one hands over to the first and ends with exit code 0.
 * @returns false in the second one, which has to start nothing
 */
export function isOnlyInstance(): boolean {
  if (app.requestSingleInstanceLock()) return true;
  console.log('Pilotlight is already running; its window comes to the front.');
  app.exit(0);
  return false;
}
