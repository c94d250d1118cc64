/**
 * Reads back what gguf-writer.ts writes, for its tests. It checks little: it is no loader for
 * foreign files.
 */
import { GGUF_ALIGNMENT } from './gguf-writer.js';

type ReadValue = number | boolean | string | (number | string)[];

interface ReadTensor {
  shape: number[];
  /** ggml_type. */
  type: number;
  /** Byte offset within the file. */
  start: number;
}

export interface ReadGguf {
  version: number;
  metadata: Map<string, ReadValue>;
  tensors: Map<string, ReadTensor>;
}

/** Throws when the bytes end early or hold a type that the writer does not write. */
export function readGguf(bytes: Uint8Array): ReadGguf {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const u32 = (): number => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const u64 = (): number => {
    at += 8;
    return Number(view.getBigUint64(at - 8, true));
  };
  const string = (): string => {
    const length = u64();
    at += length;
    return Buffer.from(bytes.subarray(at - length, at)).toString('utf8');
  };
  const value = (type: number): ReadValue => {
    switch (type) {
      case 4:
        return u32();
      case 5:
        return u32() | 0;
      case 6:
        at += 4;
        return view.getFloat32(at - 4, true);
      case 7:
        at += 1;
        return view.getUint8(at - 1) === 1;
      case 8:
        return string();
      case 9: {
        const item = u32();
        return Array.from({ length: u64() }, () => value(item) as number | string);
      }
      default:
        throw new Error(`unexpected value type ${type} at ${at}`);
    }
  };

  const magic = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (magic !== 'GGUF') throw new Error(`expected GGUF but read ${magic}`);
  at = 4;
  const version = u32();
  const tensorCount = u64();
  const entryCount = u64();
  const metadata = new Map<string, ReadValue>();
  for (let i = 0; i < entryCount; i++) {
    const key = string();
    metadata.set(key, value(u32()));
  }
  const infos = Array.from({ length: tensorCount }, () => ({
    name: string(),
    shape: Array.from({ length: u32() }, u64),
    type: u32(),
    offset: u64(),
  }));
  const dataStart = Math.ceil(at / GGUF_ALIGNMENT) * GGUF_ALIGNMENT;
  const tensors = new Map(
    infos.map(({ name, shape, type, offset }) => [
      name,
      { shape, type, start: dataStart + offset },
    ]),
  );
  return { version, metadata, tensors };
}

/** The number whose half-precision bits these are; infinities and NaN do not occur in a model. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
