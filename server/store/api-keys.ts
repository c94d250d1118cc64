/**
 * Which keys open the server: those of its start, those in keys.json, and the person's own, which are the window's and
 * the one in inspector.key. The files are looked at with each request (a stat, some microseconds), so that a key works,
 * or no longer does, as soon as it is changed.
 */
import { timingSafeEqual } from 'node:crypto';
import { fileStamp } from './file-change.js';
import {
  GIVEN_CLIENT,
  KeyFileError,
  keyDigest,
  keyFileOf,
  OWNER_CLIENT,
  readKeys,
  WINDOW_CLIENT,
} from './key-file.js';
import { OwnerKey } from './owner-key.js';

export interface ApiKeysOptions {
  dataDir: string;
  /** Keys of the start. */
  given: readonly string[];
  /** Opens everything, but does not make a key necessary; null: none. */
  windowKey: string | null;
  /** The server's own, by which it asks itself for the person's chats; null: none. */
  ownKey?: string | null;
  /** A key is needed also where there is none: the server is open to more than this machine. */
  always: () => boolean;
  /** Notices may have changed. */
  onChange?: () => void;
}

/** Whose key a request came with. */
export interface KeyHolder {
  /** For the log. */
  client: string;
  /** The person whose machine this is, rather than a client of the API. */
  isOwner: boolean;
}

interface KnownKey extends KeyHolder {
  digest: Buffer;
}

export class ApiKeys {
  private readonly given: KnownKey[];
  private readonly window: KnownKey[];
  private readonly owner: OwnerKey;
  private stored: KnownKey[] = [];
  /** Of the file as it was read last; undefined: not yet. */
  private stamp: string | null | undefined;
  private failure: string | null = null;

  constructor(private readonly options: ApiKeysOptions) {
    const { given, windowKey, ownKey = null } = options;
    this.given = given.map((key, i) => ({
      client: i === 0 ? GIVEN_CLIENT : `${GIVEN_CLIENT}-${i + 1}`,
      isOwner: false,
      digest: keyDigest(key),
    }));
    this.window = [windowKey, ownKey]
      .filter((key) => key !== null)
      .map((key) => ({ client: WINDOW_CLIENT, isOwner: true, digest: keyDigest(key) }));
    this.owner = new OwnerKey(options.dataDir);
    this.follow();
  }

  /** True where there is a key that a program could use. */
  get some(): boolean {
    this.follow();
    return this.given.length + this.stored.length > 0;
  }

  /**
   * Whether keys are asked for. A file that cannot be read may hold some, so that it asks for them rather than opening
   * the door.
   */
  get needed(): boolean {
    return this.some || this.failure !== null || this.options.always();
  }

  /** Whose the first of `keys` is that is known; null: none is. */
  holderOf(keys: readonly string[]): KeyHolder | null {
    this.follow();
    const { digest: own } = this.owner;
    const owner = own === null ? [] : [{ client: OWNER_CLIENT, isOwner: true, digest: own }];
    const known = [...this.given, ...this.stored, ...this.window, ...owner];
    for (const key of keys) {
      const digest = keyDigest(key);
      // Every key is compared, so that the time tells nothing about which one was near.
      const [match] = known.filter((each) => timingSafeEqual(each.digest, digest));
      if (match) return { client: match.client, isOwner: match.isOwner };
    }
    return null;
  }

  /** Sentences for people. */
  notices(): string[] {
    return this.failure === null ? [] : [`${this.failure} None of them opens the server now.`];
  }

  private follow(): void {
    let stamp: string | null;
    try {
      stamp = fileStamp(keyFileOf(this.options.dataDir));
    } catch (error) {
      stamp = `cannot be looked at: ${(error as NodeJS.ErrnoException).code}`;
    }
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    const before = this.failure;
    try {
      this.stored = readKeys(this.options.dataDir).map(({ name, sha256 }) => ({
        client: name,
        isOwner: false,
        digest: Buffer.from(sha256, 'hex'),
      }));
      this.failure = null;
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error;
      this.stored = [];
      this.failure = error.message;
    }
    if (this.failure !== before) this.options.onChange?.();
  }
}
