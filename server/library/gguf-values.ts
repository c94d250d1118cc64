/** The metadata of a GGUF file: keys with values of thirteen types. Lists are passed over. */
import { BadValue, type ByteReader } from './byte-reader.js';

/** Null: a list. Whole numbers beyond 2^53 are the nearest number there is. */
export type GgufValue = string | number | boolean | null;

// A generous multiple of what real models have (vocabularies of some hundred thousand words).
const MAX_ELEMENTS = 64_000_000;
export const MAX_NAME_BYTES = 65_535;

const STRING = 8;
const ARRAY = 9;

/** Value types of fixed size, by type number. */
const SCALARS: Record<number, { bytes: number; read: (from: Buffer) => number | boolean }> = {
  0: { bytes: 1, read: (from) => from.readUInt8() },
  1: { bytes: 1, read: (from) => from.readInt8() },
  2: { bytes: 2, read: (from) => from.readUInt16LE() },
  3: { bytes: 2, read: (from) => from.readInt16LE() },
  4: { bytes: 4, read: (from) => from.readUInt32LE() },
  5: { bytes: 4, read: (from) => from.readInt32LE() },
  6: { bytes: 4, read: (from) => from.readFloatLE() },
  7: { bytes: 1, read: (from) => from.readUInt8() !== 0 },
  10: { bytes: 8, read: (from) => Number(from.readBigUInt64LE()) },
  11: { bytes: 8, read: (from) => Number(from.readBigInt64LE()) },
  12: { bytes: 8, read: (from) => from.readDoubleLE() },
};

/** @throws BadValue above the limit. */
export async function bounded(reader: ByteReader, limit: number, what: string): Promise<number> {
  const count = await reader.u64();
  if (count > limit) throw new BadValue(`${count} ${what}`);
  return count;
}

interface Selection {
  isWanted: (key: string) => boolean;
  /** Longest text in bytes that is read of a wanted key; a longer one is a BadValue. */
  textLimit: (key: string) => number;
}

/** The values that are wanted, by key, in the file's order. All else is passed over. */
export async function readValues(
  reader: ByteReader,
  keys: number,
  { isWanted, textLimit }: Selection,
): Promise<Map<string, GgufValue>> {
  const values = new Map<string, GgufValue>();
  for (let i = 0; i < keys; i++) {
    const key = await reader.text(MAX_NAME_BYTES);
    const type = await reader.u32();
    if (type === ARRAY) {
      const elementType = await reader.u32();
      const count = await bounded(reader, MAX_ELEMENTS, 'elements');
      await skipElements(reader, elementType, count);
      if (isWanted(key)) values.set(key, null);
    } else if (!isWanted(key)) {
      await skipElements(reader, type, 1);
    } else if (type === STRING) {
      values.set(key, await reader.text(textLimit(key)));
    } else {
      const { bytes, read } = scalar(type);
      values.set(key, read(await reader.take(bytes)));
    }
  }
  return values;
}

async function skipElements(reader: ByteReader, type: number, count: number): Promise<void> {
  if (type === STRING) {
    await reader.skipTexts(count);
    return;
  }
  reader.skip(scalar(type).bytes * count);
}

function scalar(type: number) {
  const found = SCALARS[type];
  if (found === undefined) throw new BadValue(`the value type ${type}`);
  return found;
}
