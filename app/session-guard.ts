import type { Session } from 'electron';

/** What the page may do beyond showing itself. Copying is the only one: the chat has copy buttons. */
const GRANTED = 'clipboard-sanitized-write';

/**
 * Takes from pages what the chat does not need, and keeps the window's requests to our own server away from proxies.
 * @param origin of the server's page; null: there is none yet
 */
export async function guardSession(session: Session, origin: () => string | null): Promise<void> {
  const isOurs = (url: string) => URL.canParse(url) && new URL(url).origin === origin();
  session.setPermissionRequestHandler((_contents, permission, callback, details) =>
    callback(permission === GRANTED && isOurs(details.requestingUrl)),
  );
  session.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin) => permission === GRANTED && isOurs(requestingOrigin),
  );
  session.setDevicePermissionHandler(() => false);
  await session.setProxy({ mode: 'direct' });
}
