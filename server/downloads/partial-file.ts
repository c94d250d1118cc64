/** A file on its way: bytes are appended to it, and it knows the SHA-256 of all that it holds. */
import { type FileHandle, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { FollowingHash } from './following-hash.js';

/** Bytes after which the disk is asked to keep what has come: a loss of power costs no more. */
const SYNC_BYTES = 256 * 1024 * 1024;

export class PartialFile {
  private synced: number;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private bytes: number,
    private hash: FollowingHash,
  ) {
    this.synced = bytes;
  }

  /** Goes on with one that is there. Rejects with the file system's error. */
  static async open(file: string): Promise<PartialFile> {
    const handle = await openOrMake(file);
    const { size } = await handle.stat();
    return new PartialFile(file, handle, size, new FollowingHash(handle, size));
  }

  get size(): number {
    return this.bytes;
  }

  /** What fits on a disk that becomes full is kept. Rejects with the file system's error. */
  async append(chunk: Uint8Array): Promise<void> {
    let from = 0;
    while (from < chunk.length) {
      const { bytesWritten } = await this.handle.write(chunk, from, undefined, this.bytes);
      from += bytesWritten;
      this.bytes += bytesWritten;
      this.hash.grow(this.bytes);
    }
    if (this.bytes - this.synced >= SYNC_BYTES) {
      this.synced = this.bytes;
      await this.handle.datasync();
    }
  }

  /** Forgets what is there. */
  async restart(): Promise<void> {
    await this.hash.stop();
    await this.handle.truncate(0);
    this.bytes = 0;
    this.synced = 0;
    this.hash = new FollowingHash(this.handle, 0);
  }

  /** Of all that it holds, in lower-case hex; nothing may be appended from here on. */
  sha256(): Promise<string> {
    return this.hash.finish();
  }

  /** Safe on the disk, under another name beside it; ends it. */
  async finish(name: string): Promise<void> {
    await this.handle.sync();
    await this.close();
    await rename(this.path, path.join(path.dirname(this.path), name));
  }

  /** Once more is fine. */
  async close(): Promise<void> {
    await this.hash.stop();
    await this.handle.close();
  }
}

async function openOrMake(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r+', 0o644);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return open(file, 'wx+', 0o644);
  }
}

/** So that a rename within it outlasts a loss of power; Windows knows no such thing. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
