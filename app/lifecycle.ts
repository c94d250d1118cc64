import { app } from 'electron';
import { z } from 'zod';

/** What a second app hands over to the first. */
const handedOverSchema = z.object({ link: z.string().nullable() });

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
 * @param link that it was started with
 * @returns false in the second one, which has to start nothing
 */
export function isOnlyInstance(link: string | null): boolean {
  // The command line itself arrives there in another order than it had.
  if (app.requestSingleInstanceLock({ link } satisfies z.infer<typeof handedOverSchema>))
    return true;
  console.log('Pilotlight is already running; its window comes to the front.');
  app.exit(0);
  return false;
}

/** @param listener is told the link that a second app was started with; null: none */
export function onSecondInstance(listener: (link: string | null) => void): void {
  app.on('second-instance', (_event, _argv, _folder, data) => {
    const handedOver = handedOverSchema.safeParse(data);
    listener(handedOver.success ? handedOver.data.link : null);
  });
}
