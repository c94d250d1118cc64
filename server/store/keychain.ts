/**
 * Secrets in the operating system's keychain: Keychain on macOS, the Credential Manager on Windows, the Secret Service
 * (GNOME's keyring, KWallet) on Linux. It is asked in a process of its own: one that waits for a password or does not
 * answer holds its caller for ever, and only that process.
 */
import type { KeychainRequest } from '../../protocol/engine-channel.js';
import { ExpendableProcess } from '../engine/expendable.js';
import type { SpawnEngine } from '../engine/spawn.js';

/** Longest wait for an answer in milliseconds. It takes some tens where nobody is asked for a password. */
const PATIENCE = 5_000;

/** Why a secret cannot be had or kept there. The message is the end of a sentence for people. */
export class KeychainError extends Error {
  override readonly name = 'KeychainError';
}

export class Keychain {
  constructor(
    private readonly spawn: SpawnEngine,
    /** Milliseconds. */
    private readonly patience = PATIENCE,
  ) {}

  /**
   * @param name What the secret is for, as people see it in the keychain.
   * @returns null where there is none.
   * @throws KeychainError
   */
  read(name: string): Promise<string | null> {
    return this.#ask({ action: 'read', name });
  }

  /** @throws KeychainError */
  async write(name: string, secret: string): Promise<void> {
    await this.#ask({ action: 'write', name, secret });
  }

  /**
   * Without effect where there is none.
   * @throws KeychainError
   */
  async remove(name: string): Promise<void> {
    await this.#ask({ action: 'remove', name });
  }

  async #ask(request: KeychainRequest): Promise<string | null> {
    const process = new ExpendableProcess(this.spawn, this.patience);
    const answer = await process.ask({ type: 'keychain', request });
    process.end();
    switch (answer.type) {
      case 'keychain-done':
        return answer.secret;
      case 'keychain-failed':
        throw new KeychainError(answer.message);
      case 'late':
        throw new KeychainError(`it did not answer within ${this.patience / 1000} seconds`);
      default:
        throw new KeychainError('it ended the process that asked it');
    }
  }
}
