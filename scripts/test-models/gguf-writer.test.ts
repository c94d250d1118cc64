import { describe, expect, it } from 'vitest';
import { readGguf } from './gguf-reader.js';
import { byteLength, GGUF_ALIGNMENT, type GgufValue, writeGguf } from './gguf-writer.js';

const METADATA = new Map<string, GgufValue>([
  ['general.architecture', { type: 'string', value: 'llama' }],
  ['a.number', { type: 'u32', value: 4_000_000_000 }],
  ['a.signed', { type: 'i32', value: -7 }],
  ['a.float', { type: 'f32', value: 0.5 }],
  ['a.flag', { type: 'bool', value: true }],
  ['some.texts', { type: 'strings', value: ['', 'Ġthe', '漢 😀'] }],
  ['some.numbers', { type: 'i32s', value: [3, -1, 4] }],
]);

describe('writeGguf', () => {
  it('writes metadata that reads back the same, in order', () => {
    const read = readGguf(writeGguf({ metadata: METADATA, tensors: [] }));
    expect(read.version).toBe(3);
    expect([...read.metadata]).toEqual([...METADATA].map(([key, { value }]) => [key, value]));
  });

  it('puts every tensor on an aligned offset, with its bytes intact', () => {
    const first = Uint8Array.from({ length: 12 }, (_, i) => i + 1);
    const second = Uint8Array.from({ length: 34 }, (_, i) => 100 + i);
    const bytes = writeGguf({
      metadata: METADATA,
      tensors: [
        { name: 'first.weight', shape: [3], format: 'f32', data: first },
        { name: 'second.weight', shape: [32, 1], format: 'q8_0', data: second },
      ],
    });
    const { tensors } = readGguf(bytes);
    const one = tensors.get('first.weight');
    const two = tensors.get('second.weight');
    expect(one).toMatchObject({ shape: [3], type: 0 });
    expect(two).toMatchObject({ shape: [32, 1], type: 8 });
    for (const [tensor, data] of [
      [one, first],
      [two, second],
    ] as const) {
      const start = tensor?.start ?? -1;
      expect(start % GGUF_ALIGNMENT).toBe(0);
      expect(bytes.subarray(start, start + data.length)).toEqual(data);
    }
    expect(bytes.length % GGUF_ALIGNMENT).toBe(0);
  });

  it('refuses data that does not fit the shape, by the tensor name', () => {
    const tensor = { name: 'short', shape: [4], format: 'f16', data: new Uint8Array(7) } as const;
    expect(() => writeGguf({ metadata: METADATA, tensors: [tensor] })).toThrow(
      'tensor short: expected 8 bytes but received 7',
    );
  });
});

describe('byteLength', () => {
  it('counts blocks of quantised formats', () => {
    expect(byteLength('f32', [3, 5])).toBe(60);
    expect(byteLength('f16', [3, 5])).toBe(30);
    expect(byteLength('q8_0', [64, 2])).toBe(136);
    expect(byteLength('q2_k', [512, 3])).toBe(504);
  });

  it('refuses rows that are not whole blocks', () => {
    expect(() => byteLength('q8_0', [48, 2])).toThrow(RangeError);
    expect(() => byteLength('q2_k', [128, 4])).toThrow(RangeError);
  });
});
