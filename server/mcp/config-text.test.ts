import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mcpCheckSchema } from '../../protocol/mcp.js';
import { checkText } from './config-text.js';

/** As editors put it in. */
const placeholder = (name: string) => `\${${name}}`;

const check = (text: unknown) =>
  checkText(typeof text === 'string' ? text : JSON.stringify(text), (name) => name === 'known');

describe('what is pasted from other apps', () => {
  const program = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] };

  test.each([
    ['Claude', { mcpServers: { memory: program }, globalShortcut: '' }],
    ['VS Code', { servers: { memory: { type: 'stdio', ...program } }, inputs: [] }],
    ["VS Code's settings", { 'editor.fontSize': 12, mcp: { servers: { memory: program } } }],
    ['Zed', { context_servers: { memory: { source: 'custom', ...program } } }],
    ['Cline', { mcpServers: { memory: { ...program, disabled: false, autoApprove: ['a'] } } }],
    ['a list without a name', { memory: program }],
    ['the middle of a file', `"memory": ${JSON.stringify(program)},`],
  ])('%s', (_, text) => {
    expect(check(text)).toEqual({
      problem: null,
      entries: [{ name: 'memory', config: program, problem: null, detail: null, replaces: false }],
    });
  });

  test('comments and commas at the end, as VS Code writes them', () => {
    const { entries } = check(`\uFEFF{
      // mine
      "servers": { "known": { "command": "a", "args": ["//x", "b,"], /* and */ }, },
    }`);
    expect(entries).toMatchObject([
      { name: 'known', config: { command: 'a', args: ['//x', 'b,'] }, replaces: true },
    ]);
  });

  test.each([
    [{ url: 'https://mcp.example.com/mcp' }, { url: 'https://mcp.example.com/mcp' }],
    [
      { serverUrl: 'http://a/sse', type: 'sse' },
      { url: 'http://a/sse', type: 'sse' },
    ],
    [{ httpUrl: 'http://a/', type: 'streamable-http' }, { url: 'http://a/' }],
    [
      { url: 'http://a', headers: { Authorization: 'Bearer x' } },
      { url: 'http://a', headers: { Authorization: 'Bearer x' } },
    ],
    [
      { command: ' node ', env: { PORT: 3, DEBUG: true }, cwd: '/srv', timeout: 5 },
      { command: 'node', env: { PORT: '3', DEBUG: 'true' }, cwd: '/srv' },
    ],
  ])('%j', (given, config) => {
    expect(check({ mcpServers: { a: given } }).entries).toMatchObject([{ config, problem: null }]);
  });

  test.each([
    [{ command: 'node', args: ['/x/server.js'] }, 'server.js'],
    [{ command: 'npx', args: ['-y', '@scope/tools@1.2.3'] }, 'tools'],
    [{ url: 'https://mcp.example.com/x' }, 'mcp.example.com'],
  ])('one server alone is named after what it is: %j', (given, name) => {
    expect(check(given).entries).toMatchObject([{ name }]);
  });
});

describe('what cannot be used is told of each', () => {
  test.each([
    ['text', 'not_object', null],
    [{}, 'no_command', null],
    [{ command: 5 }, 'command', null],
    [{ command: 'a', args: 'b' }, 'args', null],
    [{ command: 'a', args: [1] }, 'args', null],
    [{ command: 'a', env: { A: {} } }, 'env', null],
    [{ command: 'a', env: { 'A=B': '1' } }, 'env', null],
    [{ command: 'a', cwd: 'relative' }, 'cwd', 'relative'],
    [{ url: 'ftp://a' }, 'url', 'ftp://a'],
    [{ url: 'nothing' }, 'url', 'nothing'],
    [{ url: 'http://a', headers: { 'a b': 'c' } }, 'headers', null],
    [{ url: 'http://a', headers: { a: 'b\nc' } }, 'headers', null],
    [
      { command: 'a', env: { T: placeholder('input:token') } },
      'placeholder',
      placeholder('input:token'),
    ],
    [
      { command: 'a', args: [`${placeholder('workspaceFolder')}/b`] },
      'placeholder',
      placeholder('workspaceFolder'),
    ],
  ])('%j', (given, problem, detail) => {
    const { entries } = check({ mcpServers: { bad: given, good: { command: 'a' } } });
    expect(entries).toMatchObject([
      { name: 'bad', config: null, problem, detail },
      { name: 'good', problem: null },
    ]);
  });

  test.each(['', ' a', 'a\nb', 'a'.repeat(65)])('the name %j', (name) => {
    const { entries } = check({ mcpServers: { [name]: { command: 'a' } } });
    expect(entries).toMatchObject([{ config: null, problem: 'name' }]);
  });

  test.each([
    ['', 'no_servers'],
    ['{', 'not_json'],
    ['npx server', 'not_json'],
    ['[]', 'no_servers'],
    ['{"mcpServers": {}}', 'no_servers'],
    ['{"a": 1}', 'no_servers'],
    ['['.repeat(5000), 'not_json'],
  ])('the text %j', (text, problem) => {
    expect(check(text)).toEqual({ problem, entries: [] });
  });
});

test('whatever is pasted, the answer is one', () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"mcpServers": ${json}}`),
  );
  fc.assert(
    fc.property(text, (given) => {
      mcpCheckSchema.parse(check(given));
    }),
  );
});
