/**
 * Small secrets by name, such as a token for the hub: in the system's keychain where there is one that works, else in
 * secrets.json of the data folder, readable by its owner only. The file also says which ones are in the keychain, so
 * that a keychain is asked only for what it has: some wait for a password.
 */
import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { changeFile, FileChangeError } from './file-change.js';
import { type Keychain, KeychainError } from './keychain.js';

export type SecretPlace = 'keychain' | 'file';

export interface KeptSecret {
  secret: string;
  storedIn: SecretPlace;
}

/** Why a secret cannot be had or kept; the message is a sentence for people. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

const entrySchema = z.union([
  z.strictObject({ secret: z.string() }),
  z.strictObject({ stored_in: z.literal('keychain') }),
]);
type Entry = z.infer<typeof entrySchema>;
const fileSchema = z.record(z.string(), entrySchema);

export class SecretStore {
  private readonly file: string;
  private readonly known = new Map<string, KeptSecret | null>();
  /** One at a time, so that what is read is what was set last. */
  private last: Promise<unknown> = Promise.resolve();

  /** @param keychain Null: only the file. */
  constructor(
    private readonly dataDir: string,
    private readonly keychain: Keychain | null,
  ) {
    this.file = path.join(dataDir, 'secrets.json');
  }

  /**
   * @param name For programs and people, such as "Hugging Face token".
   * @returns null where there is none. The keychain is asked at most once for each name.
   * @throws SecretError where it cannot be told.
   */
  get(name: string): Promise<KeptSecret | null> {
    return this.inTurn(async () => {
      const known = this.known.get(name);
      if (known !== undefined) return known;
      const found = await this.find(name);
      this.known.set(name, found);
      return found;
    });
  }

  /**
   * @returns where it is kept.
   * @throws SecretError
   */
  set(name: string, secret: string): Promise<SecretPlace> {
    return this.inTurn(async () => {
      const isInKeychain = await this.keepInKeychain(name, secret);
      await this.change(name, isInKeychain ? { stored_in: 'keychain' } : { secret });
      const storedIn = isInKeychain ? 'keychain' : 'file';
      this.known.set(name, { secret, storedIn });
      return storedIn;
    });
  }

  /**
   * Without effect where there is none.
   * @throws SecretError where it is still there.
   */
  delete(name: string): Promise<void> {
    return this.inTurn(async () => {
      const entry = this.readFile().get(name);
      if (entry !== undefined && 'stored_in' in entry) {
        await this.askKeychain(name, 'removed from', (keychain, label) => keychain.remove(label));
      }
      if (entry !== undefined) await this.change(name, null);
      this.known.set(name, null);
    });
  }

  private async find(name: string): Promise<KeptSecret | null> {
    const entry = this.readFile().get(name);
    if (entry === undefined) return null;
    if ('secret' in entry) return { secret: entry.secret, storedIn: 'file' };
    const secret = await this.askKeychain(name, 'read from', (keychain, label) =>
      keychain.read(label),
    );
    return secret === null ? null : { secret, storedIn: 'keychain' };
  }

  /** @param done What was to be done, such as "read from". */
  private async askKeychain<T>(
    name: string,
    done: string,
    ask: (keychain: Keychain, label: string) => Promise<T>,
  ): Promise<T> {
    const failed = (why: string) =>
      new SecretError(`The ${name} cannot be ${done} the system's keychain: ${why}.`);
    if (this.keychain === null) throw failed('this start uses none');
    try {
      return await ask(this.keychain, this.label(name));
    } catch (error) {
      throw error instanceof KeychainError ? failed(error.message) : error;
    }
  }

  /** Some keychains only say that they have kept it, so it is read once more. */
  private async keepInKeychain(name: string, secret: string): Promise<boolean> {
    if (this.keychain === null) return false;
    try {
      await this.keychain.write(this.label(name), secret);
      return (await this.keychain.read(this.label(name))) === secret;
    } catch (error) {
      if (error instanceof KeychainError) return false;
      throw error;
    }
  }

  /** As people see it in the keychain. */
  private label(name: string): string {
    return `${name} of ${this.dataDir}`;
  }

  /** @throws SecretError */
  private readFile(): ReadonlyMap<string, Entry> {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
      chmodSync(this.file, 0o600);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return new Map();
      throw new SecretError(`The secrets in ${this.file} cannot be read (${code}).`);
    }
    try {
      return new Map(Object.entries(fileSchema.parse(JSON.parse(text))));
    } catch {
      throw new SecretError(`The secrets in ${this.file} are damaged: delete the file.`);
    }
  }

  /** @param entry Null: none. */
  private async change(name: string, entry: Entry | null): Promise<void> {
    try {
      await changeFile(this.file, 'Secrets', () => {
        const entries = new Map(this.readFile());
        if (entry === null) entries.delete(name);
        else entries.set(name, entry);
        return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
      });
    } catch (error) {
      throw error instanceof FileChangeError ? new SecretError(error.message) : error;
    }
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.last.then(act);
    this.last = done.catch(() => {});
    return done;
  }
}
