import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileKindOf, groupFiles, stem } from './names.js';

describe('model files', () => {
  it.each(['a.gguf', 'A.GGUF', 'tést 模型.gguf', 'a.b.gguf', 'mmprojector.gguf'])('%s', (name) => {
    expect(fileKindOf(name)).toBe('model');
  });

  it.each(['.a.gguf', 'a.gguf.part', 'a.txt', 'gguf', 'a.gguf2', '.mmproj.gguf'])(
    'not %s',
    (name) => {
      expect(fileKindOf(name)).toBeNull();
    },
  );

  it.each(['mmproj-a.gguf', 'a-mmproj-f16.gguf', 'a.mmproj.gguf', 'MMPROJ.gguf'])(
    'not %s, which is a projector',
    (name) => {
      expect(fileKindOf(name)).toBe('projector');
    },
  );
});

it('has one form for names that look the same', () => {
  expect(stem('e\u0301.gguf')).toBe('\u00e9');
});

describe('groups', () => {
  const at = (...names: string[]) => names.map((name) => path.join('/m', name));

  it('join the parts of a split model, in order, and name what is missing', () => {
    const files = at('a.gguf', 'big-00003-of-00003.gguf', 'big-00001-of-00003.gguf', 'z.gguf');
    expect(groupFiles(files)).toEqual([
      { base: 'a', paths: at('a.gguf'), missingParts: [], totalParts: 1 },
      {
        base: 'big',
        paths: at('big-00001-of-00003.gguf', 'big-00003-of-00003.gguf'),
        missingParts: [2],
        totalParts: 3,
      },
      { base: 'z', paths: at('z.gguf'), missingParts: [], totalParts: 1 },
    ]);
  });

  it('do not mix folders or part counts', () => {
    const files = at(
      'x/b-00001-of-00002.gguf',
      'y/b-00002-of-00002.gguf',
      'x/b-00001-of-00004.gguf',
    );
    expect(groupFiles(files).map(({ missingParts }) => missingParts)).toEqual([
      [2],
      [1],
      [2, 3, 4],
    ]);
  });

  it('take a name that only looks like a part as it is', () => {
    expect(groupFiles(at('b-00001-of-00000.gguf'))[0]?.base).toBe('b-00001-of-00000');
    expect(groupFiles(at('b-00009-of-00003.gguf'))[0]?.base).toBe('b-00009-of-00003');
  });
});
