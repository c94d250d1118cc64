/** Reads little-endian values from a file front to back, a block at a time. Skipping costs no reading. */
import type { FileHandle } from 'node:fs/promises';

/** Block size in bytes: a header with a big vocabulary is some MB, one without is a few KB. */
const BLOCK = 256 * 1024;

/** The file ends before the value does. */
export class EndOfFile extends Error {}

/** A value that no writer would write. The message names it, such as "2000000000 tensors". */
export class BadValue extends Error {}

export class ByteReader {
  private block: Buffer = Buffer.alloc(0);
  /** File offset of the block's first byte. */
  private blockStart = 0;
  /** File offset of the next byte to read. */
  offset = 0;

  constructor(
    private readonly file: FileHandle,
    /** Length of the file in bytes. */
    readonly size: number,
  ) {}

  skip(bytes: number): void {
    if (bytes > this.size - this.offset) throw new EndOfFile();
    this.offset += bytes;
  }

  async u8(): Promise<number> {
    return (await this.take(1)).readUInt8();
  }

  async u16(): Promise<number> {
    return (await this.take(2)).readUInt16LE();
  }

  async u32(): Promise<number> {
    return (await this.take(4)).readUInt32LE();
  }

  /** @throws BadValue above 2^53, which no length, count or offset of a real file reaches. */
  async u64(): Promise<number> {
    const value = (await this.take(8)).readBigUInt64LE();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BadValue(`a length of ${value}`);
    return Number(value);
  }

  /** @param limit Longest text in bytes that is read; a longer one is a BadValue. */
  async text(limit: number): Promise<string> {
    const length = await this.u64();
    if (length > limit) throw new BadValue(`a text of ${length} bytes`);
    return (await this.take(length)).toString('utf8');
  }

  /** Passes over `count` texts: each is its length and then its bytes. */
  async skipTexts(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      // Within the block this runs without waiting: a vocabulary has hundreds of thousands of texts.
      const at = this.offset - this.blockStart;
      const inBlock = at >= 0 && at + 8 <= this.block.length;
      if (inBlock && this.block.readUInt32LE(at + 4) === 0) {
        this.offset += 8;
        this.skip(this.block.readUInt32LE(at));
      } else {
        this.skip(await this.u64());
      }
    }
  }

  /** The next `length` bytes; valid until the next read. */
  async take(length: number): Promise<Buffer> {
    if (length > this.size - this.offset) throw new EndOfFile();
    let at = this.offset - this.blockStart;
    if (at < 0 || at + length > this.block.length) {
      this.block = await this.readBlock(Math.max(length, BLOCK));
      this.blockStart = this.offset;
      at = 0;
      if (length > this.block.length) throw new EndOfFile();
    }
    this.offset += length;
    return this.block.subarray(at, at + length);
  }

  private async readBlock(length: number): Promise<Buffer> {
    const block = Buffer.alloc(Math.min(length, this.size - this.offset));
    let filled = 0;
    while (filled < block.length) {
      const { bytesRead } = await this.file.read(
        block,
        filled,
        block.length - filled,
        this.offset + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return block.subarray(0, filled);
  }
}
