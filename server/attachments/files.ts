/** The files of attachments in the data folder: each once, under the name of its content, with its text beside it. */
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** Written at a time while a file is erased, bytes. */
const ERASED = 1024 * 1024;

const TEXT = '.txt';

export class AttachmentFiles {
  constructor(readonly folder: string) {}

  path(sha256: string): string {
    return path.join(this.folder, sha256);
  }

  /** Of its text, whole. @throws the error of the file system. */
  text(sha256: string): Promise<string> {
    return readFile(this.path(sha256) + TEXT, 'utf8');
  }

  /** @param text Null: an image. */
  async put(from: string, sha256: string, text: string | null): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    if (text !== null) {
      const written = `${from}${TEXT}`;
      await this.#write(written, text);
      await rename(written, this.path(sha256) + TEXT);
    }
    await rename(from, this.path(sha256));
  }

  /** Whether file and text are there. */
  async has(sha256: string, hasText: boolean): Promise<boolean> {
    const files = hasText ? [this.path(sha256), this.path(sha256) + TEXT] : [this.path(sha256)];
    const found = await Promise.all(files.map((file) => stat(file).catch(() => null)));
    return found.every((each) => each?.isFile() === true);
  }

  /** With what was in it overwritten, as the database does with what is deleted. */
  async erase(sha256: string): Promise<void> {
    for (const file of [this.path(sha256) + TEXT, this.path(sha256)]) {
      const handle = await open(file, 'r+').catch(() => null);
      if (handle !== null) await overwrite(handle);
      await rm(file, { force: true });
    }
  }

  async #write(file: string, text: string): Promise<void> {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(text);
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  }
}

async function overwrite(handle: FileHandle): Promise<void> {
  try {
    const { size } = await handle.stat();
    const zeros = Buffer.alloc(Math.min(size, ERASED));
    for (let at = 0; at < size; at += zeros.length) {
      await handle.write(zeros, 0, Math.min(zeros.length, size - at), at);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
