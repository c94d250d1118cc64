// The snippets of the developer page, run as they are copied.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENTS, type ClientSnippet } from '../renderer/developer/snippets/snippets.js';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { hasCurl, hasPython } from '../server/inspector/test-bodies.js';
import { startTestServer, type TestServer } from '../server/test-server.js';

const REPO = path.resolve(import.meta.dirname, '..');
const KEY = 'key-of-a-test';

/** What no quotes of any language may stumble over. */
const ALIAS = `it's "mine" \\ $HOME \`x\``;

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted'],
    config: { apiKeys: [KEY] },
    settings: { models: { scripted: { aliases: [ALIAS] } } },
  });
});
afterAll(() => test.close());

const codeOf = (client: ClientSnippet, model: string) =>
  client.code({ url: test.server.url, model, key: KEY });

/** Runs a program with the text as its input. */
async function run(program: string, args: readonly string[], input: string): Promise<string> {
  const running = promisify(execFile)(program, args, { cwd: REPO });
  running.child.stdin?.end(input);
  return (await running).stdout.trim();
}

const ofLanguage = (language: ClientSnippet['language']) =>
  CLIENTS.filter((client) => client.language === language).map(
    (client) => [client.id, client] as const,
  );

describe.each(ofLanguage('javascript'))('%s', (_id, client) => {
  it.each(['scripted', ALIAS])('answers with the model %s', async (model) => {
    const said = await run(process.execPath, ['--input-type=module'], codeOf(client, model));
    expect(said).toBe(SCRIPTED_SENTENCE);
  });
});

it.runIf(hasCurl).each(['scripted', ALIAS])('curl streams the answer of %s', async (model) => {
  const curl = CLIENTS.find(({ id }) => id === 'curl');
  const said = await run('bash', [], curl ? codeOf(curl, model) : '');
  expect(said).toMatch(/^data: \{.*\}$/m);
  expect(said.endsWith('data: [DONE]')).toBe(true);
});

describe.each(ofLanguage('python'))('%s', (_id, client) => {
  it.runIf(hasPython)('is Python, whatever the model is called', async () => {
    const parse = 'import ast, sys; print(len(ast.parse(sys.stdin.read()).body))';
    expect(Number(await run('python3', ['-c', parse], codeOf(client, ALIAS)))).toBeGreaterThan(1);
  });
});

describe.each(ofLanguage('bash'))('%s', (_id, client) => {
  it('is one that a shell understands', async () => {
    await expect(run('bash', ['-n'], codeOf(client, ALIAS))).resolves.toBe('');
  });
});

it('each says where the server is, and the key', () => {
  for (const client of CLIENTS) {
    const code = codeOf(client, 'scripted');
    expect(code, client.id).toContain(test.server.url);
    expect(code, client.id).toContain(KEY);
  }
  expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
});
