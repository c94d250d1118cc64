/** The operating system's keychain, in the process that may be lost over it (see server/store/keychain.ts). */
import type { KeychainRequest } from '../../protocol/engine-channel.js';

/** What people see as the owner of the secrets. */
const SERVICE = 'Pilotlight';

/**
 * Does what is asked. May hold its caller, and its thread, for as long as the keychain likes.
 * @returns the secret that was read; null: there is none, or another thing was asked.
 * @throws the keychain's error, also where there is no keychain.
 */
export async function askKeychain(request: KeychainRequest): Promise<string | null> {
  // Where there is no binary for a system, only this fails.
  const { Entry } = await import('@napi-rs/keyring');
  // Linux' other one is the kernel's, which forgets everything when the machine stops.
  const entry = new Entry(SERVICE, request.name, { linux: { store: 'secret-service' } });
  switch (request.action) {
    case 'read':
      return entry.getPassword();
    case 'write':
      entry.setPassword(request.secret);
      return null;
    case 'remove':
      entry.deletePassword();
      return null;
  }
}
