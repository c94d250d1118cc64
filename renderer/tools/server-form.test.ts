import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { McpServerConfig } from '../../protocol/mcp.js';
import { configOf, EMPTY_FORM, formOf } from './server-form.js';

test('a program, as it is typed', () => {
  const form = {
    ...EMPTY_FORM,
    ...{ command: ' npx ', args: '-y\n@scope/server\n/a b\n', cwd: ' ' },
    env: 'TOKEN=a=b\n\n MODE = fast \nEMPTY',
  };
  expect(configOf('program', form)).toEqual({
    command: 'npx',
    args: ['-y', '@scope/server', '/a b'],
    env: { TOKEN: 'a=b', MODE: 'fast', EMPTY: '' },
  });
});

test('an address, as it is typed', () => {
  const form = { ...EMPTY_FORM, url: ' http://a/mcp ', headers: 'Authorization: Bearer a:b' };
  expect(configOf('address', form)).toEqual({
    ...{ url: 'http://a/mcp', headers: { Authorization: 'Bearer a:b' } },
  });
  expect(configOf('address', { ...EMPTY_FORM, url: 'http://a' })).toEqual({ url: 'http://a' });
});

const word = fc.stringMatching(/^[\w•./-]{1,12}$/);
const values = fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), word, { minKeys: 1 });

test('what is kept is shown, and kept again, unchanged', () => {
  const program = fc.record(
    { command: word, args: fc.array(word, { minLength: 1 }), env: values, cwd: word },
    { requiredKeys: ['command'] },
  );
  const address = fc.record(
    { url: fc.webUrl(), headers: values, type: fc.constantFrom('http' as const, 'sse' as const) },
    { requiredKeys: ['url'] },
  );
  fc.assert(
    fc.property(fc.oneof(program, address), (config) => {
      const kind = 'command' in config ? 'program' : 'address';
      expect(configOf(kind, formOf('a', config as McpServerConfig))).toEqual(config);
    }),
  );
});
