import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DownloadFailure } from './failure.js';
import { isSafeName, targetsOf } from './targets.js';

describe('where files lie', () => {
  it.each([
    [['m.gguf'], ['o/n/m.gguf']],
    [
      ['Q4/m.gguf', 'mmproj.gguf'],
      ['o/n/Q4/m.gguf', 'o/n/Q4/mmproj.gguf'],
    ],
    [
      ['a/m-00001-of-00002.gguf', 'a/m-00002-of-00002.gguf'],
      ['o/n/a/m-00001-of-00002.gguf', 'o/n/a/m-00002-of-00002.gguf'],
    ],
  ])('%j', (files, targets) => {
    expect(targetsOf('o/n', files)).toEqual(targets);
  });

  it.each([
    ...[
      [],
      ['m.bin'],
      ['m'],
      ['.gguf'],
      ['.m.gguf'],
      ['../m.gguf'],
      ['/etc/m.gguf'],
      ['a/../m.gguf'],
    ],
    ...[['..\\m.gguf'], ['c:m.gguf'], ['con.gguf'], ['LPT1.x.gguf'], ['m.gguf '], ['m\n.gguf']],
    ...[
      ['a//m.gguf'],
      ['a/b/c/d/m.gguf'],
      [`${'x'.repeat(300)}.gguf`],
      ['m.gguf\0'],
      ['m\u202e.gguf'],
    ],
    ...[['m.gguf', 'M.gguf'], ['é.gguf', 'e\u0301.gguf'], ['m.gguf/'], ['nul/m.gguf']],
  ])('%j is refused', (...files) => {
    expect(() => targetsOf('o/n', files)).toThrow(DownloadFailure);
  });

  it.each(['o', 'o/n/m', '../n', 'o/..', '/n', 'o/', 'o/n:x', 'con/n'])(
    'repo %j is refused',
    (repo) => {
      expect(() => targetsOf(repo, ['m.gguf'])).toThrow(DownloadFailure);
    },
  );

  it('never leave the models folder, on any system', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        'a',
        'C:',
        'nul',
        '~',
        '\\',
        '\\\\x\\y',
        'm.gguf',
        ' ',
        '%2e%2e',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    const file = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const repo = fc.tuple(part, part).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(repo, fc.array(file, { minLength: 1, maxLength: 3 }), (named, files) => {
        let targets: string[];
        try {
          targets = targetsOf(named, files);
        } catch (error) {
          expect(error).toBeInstanceOf(DownloadFailure);
          return;
        }
        for (const target of targets) {
          for (const [system, root] of [
            [path.posix, '/data/models'],
            [path.win32, 'D:\\data\\models'],
          ] as const) {
            const full = system.resolve(root, target);
            expect(full.startsWith(root + system.sep)).toBe(true);
            expect(system.relative(root, full).split(system.sep)).toEqual(target.split('/'));
          }
        }
      }),
    );
  });

  it('takes the names that people give', () => {
    for (const name of [
      'Qwen3-4B-Q4_K_M.gguf',
      '模型 v2 (new).gguf',
      'a+b=c,d;e.gguf',
      'connect.gguf',
    ]) {
      expect([name, isSafeName(name)]).toEqual([name, true]);
    }
  });
});
