import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folderNames, idBelow, type Naming, PREFIXES, uniqueIds } from './ids.js';
import { stem } from './names.js';

const own = (file: string): Naming => ({ base: stem(path.basename(file)), path: file });
const ids = (...files: string[]) => uniqueIds(files.map(own));

describe('ids of own files', () => {
  it('are names; the later of two gets its folder, then a number', () => {
    expect(ids('/m/a.gguf', '/m/b.gguf')).toEqual(['a', 'b']);
    expect(ids('/m/a.gguf', '/m/x/a.gguf', '/n/x/a.gguf', '/o/x/a.gguf')).toEqual([
      'a',
      'x/a',
      'x/a-2',
      'x/a-3',
    ]);
  });

  it('never collide with a name that looks like a made one', () => {
    const all = ids('/m/a.gguf', '/m/x/a.gguf', '/n/x/a.gguf', '/k/x/a-2.gguf', '/l/x/a-2.gguf');
    expect(new Set(all).size).toBe(all.length);
  });

  it('do not look like those of other programs', () => {
    expect(ids('/m/a.gguf', '/m/lmstudio/a.gguf')).toEqual(['a', 'a-2']);
  });
});

it('added folders of one name are told apart', () => {
  expect(folderNames(['/a/models', '/b/models', '/'])).toEqual(['models', 'models-2', 'root']);
});

describe('whatever comes and goes elsewhere', () => {
  const word = fc.constantFrom('a', 'b', 'x', 'a-2', 'lmstudio', 'hf.co', 'folder', 'llama.cpp');
  const base = fc.constantFrom('a', 'b', 'x', 'a-2');
  const ownFile = fc
    .tuple(fc.array(word, { maxLength: 2 }), base)
    .map(([folders, name]) => own(path.join('/m', ...folders, `${name}.gguf`)));
  const foreign = fc.oneof(
    fc
      .tuple(fc.constantFrom(...Object.values(PREFIXES)), fc.array(word, { maxLength: 3 }), base)
      .map(([prefix, folders, name]) => ({ id: idBelow(prefix, folders, name) })),
    fc.tuple(word, base).map(([name, tag]) => ({ id: `${name}:${tag}` })),
  );
  const unique = <T extends Naming>(arbitrary: fc.Arbitrary<T>) =>
    fc.uniqueArray(arbitrary, { selector: (file) => JSON.stringify(file), maxLength: 12 });

  it('no id is there twice', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(ownFile, foreign), { maxLength: 30 }), (files) => {
        const all = uniqueIds(files);
        expect(new Set(all).size).toBe(files.length);
        expect(all).not.toContain('');
      }),
    );
  });

  it("an own file's id depends on own files only", () => {
    fc.assert(
      fc.property(unique(ownFile), unique(foreign), (mine, others) => {
        expect(uniqueIds([...others, ...mine]).slice(others.length)).toEqual(uniqueIds(mine));
      }),
    );
  });

  it("another program's file goes by its own place only", () => {
    fc.assert(
      fc.property(unique(ownFile), unique(foreign), (mine, others) => {
        const all = uniqueIds([...mine, ...others]).slice(mine.length);
        expect(all).toEqual(others.map(({ id }) => id));
      }),
    );
  });
});
