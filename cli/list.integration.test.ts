// The built command line, without any server.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { testGguf } from '../server/library/test-gguf.js';
import { putFile } from '../server/library/test-stores.js';
import { Settings } from '../server/store/settings.js';
import { runCli } from './test-cli.js';
import { requireProgram } from './test-program.js';

let home: string;
beforeEach(async () => {
  requireProgram();
  home = await mkdtemp(path.join(os.tmpdir(), 'héim '));
});
afterEach(() => rm(home, { recursive: true }));

const at = (...parts: string[]) => path.join(home, ...parts);

/** As a person of this home would, with the system's own data folder. */
function run(...args: string[]) {
  const { PATH, SystemRoot } = process.env;
  const env = {
    ...{ PATH, SystemRoot, HOME: home, USERPROFILE: home, APPDATA: at('roaming') },
    ...{ LOCALAPPDATA: at('local'), XDG_DATA_HOME: at('share') },
  };
  return runCli(args, env);
}

async function putTestModel(file: string): Promise<string> {
  const { toolcall } = await ensureTestModels(
    path.resolve(import.meta.dirname, '..', 'out', 'test-models'),
  );
  return putFile(file, await readFile(toolcall));
}

describe('list', () => {
  it('shows the models of one folder, and what is wrong with bad ones', async () => {
    const data = at('data');
    await putTestModel(at('data', 'models', 'caller.gguf'));
    await putFile(at('data', 'models', 'bad\u001b[2J.gguf'), 'Dear diary');
    await (await Settings.open(data)).setModelSettings('caller', { aliases: ['gpt-4o'] });
    const said = await run('list', '--data', data);
    expect(said).toMatchObject({ code: 0 });
    const [head = '', ...rows] = said.stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +SIZE +FORMAT +CONTEXT +CAN +FROM$/);
    const row = rows.find((each) => each.startsWith('caller ')) ?? '';
    expect(row).toMatch(/^caller +\d+ KB +\S+ +\d+ +chat,tools +models folder$/);
    expect(rows.join('\n')).toMatch(/bad.\[2J +\d+ B +- +- +nothing +models folder/);
    expect(said.stderr).toContain('is not a GGUF file.');
    expect(said.stdout + said.stderr).not.toContain('\u001b');
    const json = JSON.parse((await run('list', '--json', '--data', data)).stdout);
    expect(json.find(({ id }: { id: string }) => id === 'caller')).toMatchObject({
      aliases: ['gpt-4o'],
      path: at('data', 'models', 'caller.gguf'),
      capabilities: ['chat', 'tools'],
      reason: null,
    });
  });

  it("shows other programs' models in the system's own data folder only, and makes nothing", async () => {
    await putFile(at('.lmstudio', 'models', 'a', 'b', 'c.gguf'), testGguf());
    const before = await readdir(home);
    const own = await run('list');
    expect(own.stdout).toMatch(/^lmstudio\/a\/b\/c .* LM Studio$/m);
    expect(await readdir(home)).toEqual(before);
    expect((await run('list', '--data', at('data'))).stdout).not.toContain('lmstudio');
    expect(await readdir(home)).toEqual(before);
  });
});

describe('show', () => {
  it('tells all that a file says, by any of its names', async () => {
    const data = at('data');
    const file = await putTestModel(at('data', 'models', 'caller.gguf'));
    for (const name of ['caller', 'caller.gguf', 'CALLER']) {
      const { code, stdout } = await run('show', name, '--data', data);
      expect(code).toBe(0);
      expect(stdout).toContain(file);
      expect(stdout).toMatch(/^ {2}can +chat, tools$/m);
      expect(stdout).toMatch(/^ {2}general\.architecture +\w+$/m);
      expect(stdout).toMatch(/^chat template\n {2}\S/m);
    }
    const json = JSON.parse((await run('show', 'caller', '--json', '--data', data)).stdout);
    expect(json).toMatchObject({ id: 'caller', path: file, files: [file] });
    expect(json.chat_template).toContain('tools');
  });

  it('names those that there are where there is none of the name', async () => {
    await putFile(at('data', 'models', 'a.gguf'), testGguf());
    const said = await run('show', 'nobody', '--data', at('data'));
    expect(said.code).toBe(1);
    expect(said.stderr).toContain('There is no model "nobody". There are: "a"');
    expect(said.stdout).toBe('');
  });
});
