/**
 * SHA-256 of a file that grows: it reads what has been written, close behind the writer, so that the hash is of what is
 * on the disk, and a file that is gone on with is hashed while more of it comes. The event loop never works on more than
 * one chunk at a time.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** Bytes hashed in one go: under half a millisecond even without instructions for it. */
const CHUNK = 128 * 1024;

export class FollowingHash {
  /** Lower-case hex, once it is whole. Rejects with the file system's error, and where it was stopped. */
  readonly done: Promise<string>;
  private readonly hash = createHash('sha256');
  private end: number;
  private isWhole = false;
  private isStopped = false;
  private wake = () => {};

  /** @param end Bytes that are there already. */
  constructor(
    private readonly file: FileHandle,
    end: number,
  ) {
    this.end = end;
    this.done = this.run();
    // Nobody waits for one that is stopped.
    this.done.catch(() => {});
  }

  /** So many bytes are there now. */
  grow(end: number): void {
    this.end = end;
    this.wake();
  }

  /** No more bytes come. */
  finish(): Promise<string> {
    this.isWhole = true;
    this.wake();
    return this.done;
  }

  /** Resolves when it reads no more, so that the file can be closed. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.wake();
    await this.done.catch(() => {});
  }

  private async run(): Promise<string> {
    const buffer = Buffer.allocUnsafe(CHUNK);
    let at = 0;
    for (;;) {
      if (this.isStopped) throw new Error('The hash is not needed any more.');
      if (at < this.end) {
        const length = Math.min(CHUNK, this.end - at);
        const { bytesRead } = await this.file.read(buffer, 0, length, at);
        if (bytesRead === 0) throw new Error('The file has become shorter.');
        this.hash.update(buffer.subarray(0, bytesRead));
        at += bytesRead;
      } else if (this.isWhole) {
        return this.hash.digest('hex');
      } else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
  }
}
