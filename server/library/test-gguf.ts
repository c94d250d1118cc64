/** Small GGUF files for the tests of the library: well-formed, but no models that run. */

type Value = string | number | boolean | { array: string[] };

export interface TestGguf {
  version?: number;
  metadata?: Record<string, Value>;
  /** Name → dimensions, type number, offset from the start of the data. */
  tensors?: Record<string, { shape: number[]; type: number; offset: number }>;
  /** Bytes after the header and its padding. */
  dataBytes?: number;
}

const UINT32 = 4;
const BOOL = 7;
const STRING = 8;
const ARRAY = 9;

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

function encodeValue(value: Value): Buffer {
  if (typeof value === 'number') return Buffer.concat([u32(UINT32), u32(value)]);
  if (typeof value === 'boolean') return Buffer.concat([u32(BOOL), Buffer.from([Number(value)])]);
  if (typeof value === 'string') return Buffer.concat([u32(STRING), text(value)]);
  const { array } = value;
  return Buffer.concat([u32(ARRAY), u32(STRING), u64(array.length), ...array.map(text)]);
}

/** By default a llama with one F32 tensor of 8 elements. */
export function testGguf({
  version = 3,
  metadata,
  tensors,
  dataBytes = 32,
}: TestGguf = {}): Buffer {
  const keys = Object.entries({
    'general.architecture': 'llama',
    'tokenizer.ggml.tokens': { array: ['a', 'b', 'c'] },
    ...metadata,
  });
  const table = Object.entries(tensors ?? { weight: { shape: [8], type: 0, offset: 0 } });
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(version),
    u64(table.length),
    u64(keys.length),
    ...keys.flatMap(([key, value]) => [text(key), encodeValue(value)]),
    ...table.flatMap(([name, { shape, type, offset }]) => [
      text(name),
      u32(shape.length),
      ...shape.map(u64),
      u32(type),
      u64(offset),
    ]),
  ]);
  const padding = (32 - (header.length % 32)) % 32;
  return Buffer.concat([header, Buffer.alloc(padding + dataBytes)]);
}

/** A vision projector; not one that runs. */
export function testProjector(projectionLength = 64): Buffer {
  return testGguf({
    metadata: {
      'general.architecture': 'clip',
      'clip.has_vision_encoder': true,
      'clip.vision.projection_dim': projectionLength,
    },
  });
}
