/** A split model made of a whole one, as llama.cpp's gguf-split does it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gguf } from '@huggingface/gguf';

const UINT16 = 2;
const INT32 = 5;

/** @returns the parts by name, such as "random-00001-of-00002.gguf". */
export async function splitModel(file: string, count: number): Promise<Record<string, Buffer>> {
  const whole = await readFile(file);
  const { metadata, tensorInfos, tensorDataOffset, tensorInfoByteRange } = await gguf(file, {
    allowLocalFile: true,
  });
  const start = Number(tensorDataOffset);
  const ends = [...tensorInfos.slice(1).map(({ offset }) => Number(offset)), whole.length - start];
  const tensors = tensorInfos.map(({ name, shape, dtype, offset }, at) => ({
    ...{ name, shape, dtype },
    data: whole.subarray(start + Number(offset), start + (ends[at] ?? 0)),
  }));
  // Behind the magic, the version and both counts.
  const ownPairs = whole.subarray(24, tensorInfoByteRange[0]);
  const perPart = Math.ceil(tensors.length / count);
  const stem = path.basename(file, '.gguf');
  const number = (n: number) => String(n).padStart(5, '0');
  const parts = Array.from({ length: count }, (_, at): [string, Buffer] => {
    const own = tensors.slice(at * perPart, (at + 1) * perPart);
    const splitPairs = Buffer.concat([
      pair('split.no', UINT16, u16(at)),
      pair('split.count', UINT16, u16(count)),
      pair('split.tensors.count', INT32, u32(tensors.length)),
    ]);
    const pairs = at === 0 ? [ownPairs, splitPairs] : [splitPairs];
    const pairCount = 3 + (at === 0 ? Number(metadata.kv_count) : 0);
    let offset = 0;
    const infos = own.map(({ name, shape, dtype, data }) => {
      const info = [text(name), u32(shape.length), ...shape.map(u64), u32(dtype), u64(offset)];
      offset += data.length;
      return Buffer.concat(info);
    });
    const counts = [u32(3), u64(own.length), u64(pairCount)];
    const header = Buffer.concat([Buffer.from('GGUF'), ...counts, ...pairs, ...infos]);
    const padding = Buffer.alloc((32 - (header.length % 32)) % 32);
    const bytes = Buffer.concat([header, padding, ...own.map(({ data }) => data)]);
    return [`${stem}-${number(at + 1)}-of-${number(count)}.gguf`, bytes];
  });
  return Object.fromEntries(parts);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
}

function pair(key: string, type: number, value: Buffer): Buffer {
  return Buffer.concat([text(key), u32(type), value]);
}
