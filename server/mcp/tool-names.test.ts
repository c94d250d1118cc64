import fc from 'fast-check';
import { expect, test } from 'vitest';
import { engineNames, legal } from './tool-names.js';

const tool = (server: string, name: string, args: string[] = []) => ({
  ...{ server, tool: name, arguments: args },
});

test('a name that nobody else has stays as it is', () => {
  expect(engineNames([tool('a', 'read_file'), tool('b', 'search')])).toEqual([
    'read_file',
    'search',
  ]);
});

test('tools of the same name are told apart by their servers', () => {
  expect(engineNames([tool('git hub', 'search'), tool('web', 'search')])).toEqual([
    'git_hub_search',
    'web_search',
  ]);
});

test.each([
  ['two words', 'two_words'],
  ['Wetter für Köln', 'Wetter_fu_r_Ko_ln'],
  ['天気', 'tool'],
  ['', 'tool'],
  ['../../etc', '_etc'],
  ['x'.repeat(200), 'x'.repeat(64)],
])('%j becomes %s', (name, expected) => {
  expect(legal(name)).toBe(expected);
});

test('what the engine could not tell apart gets a number', () => {
  expect(engineNames([tool('a', 'b-c'), tool('a', 'b_c'), tool('a', 'call')])).toEqual([
    'b-c',
    'b_c_2',
    'call_2',
  ]);
  expect(engineNames([tool('a', 'x', ['y']), tool('b', 'x-arg-y')])).toEqual(['x', 'x-arg-y_2']);
});

test('whatever the names, they are legal, and each is only there once', () => {
  const any = fc.record({
    server: fc.constantFrom('a', 'a b', '天'),
    tool: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('x', 'x_', 'x-', 'call', 'X')),
    arguments: fc.array(fc.constantFrom('a', 'b-c', '')),
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 60 }), (tools) => {
      const names = engineNames(tools);
      expect(new Set(names.map((name) => name.replace(/[_-]+/g, '-'))).size).toBe(tools.length);
      for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(engineNames(tools)).toEqual(names);
    }),
  );
});
