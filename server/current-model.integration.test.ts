// Which model answers: chosen at start, switched, remembered, replaced.
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverStateSchema } from '../protocol/models.js';
import { makeTestModel } from '../scripts/test-models/catalogue.js';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { isLoaded, putCurrentModel, say, testServers } from './test-server.js';

const start = testServers();

describe('the current model', () => {
  it('is the one that answers when none is named; switching is remembered', async () => {
    const test = await start({ models: ['random', 'scripted'] });
    await test.until(isLoaded('random'));
    const answered = await putCurrentModel(test, { model: 'scripted' });
    expect(serverStateSchema.parse(await answered.json()).current_model).toBe('scripted');
    expect(await say(test)).toBe(SCRIPTED_SENTENCE);
    // The one before stays as long as there is memory for both.
    expect(isLoaded('random')(test.server.state.now())).toBe(true);
    await test.stop();
    const again = await start({ dataDir: test.dataDir });
    expect(again.server.state.now().current_model).toBe('scripted');
    await again.until(isLoaded('scripted'));
  });

  it.each<[unknown, number, string | null]>([
    [{ model: 'nope' }, 404, 'model_not_found'],
    [{ model: 'truncated' }, 400, 'model_invalid'],
    [{ model: '' }, 400, null],
    [{ model: 'random', more: 1 }, 400, null],
    [{}, 400, null],
    [null, 400, null],
  ])('is not switched by %j', async (body, status, code) => {
    const test = await start({ models: ['scripted', 'truncated', 'random'] });
    const response = await putCurrentModel(test, body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe(code);
    expect(test.server.state.now().current_model).toBe('scripted');
  });

  it('that cannot be loaded is refused with the reason, and shown as failed', async () => {
    const test = await start({ models: ['scripted', 'unknown-arch'] });
    await expect(test.server.selectModel('unknown-arch')).rejects.toThrow('martian');
    const state = await test.until(({ models }) =>
      models.some(({ id, status }) => id === 'unknown-arch' && status === 'failed'),
    );
    expect(state.models.find(({ id }) => id === 'unknown-arch')?.reason).toContain('martian');
    expect(await say(test, 'scripted')).toBe(SCRIPTED_SENTENCE);
  });

  it('is the built-in one at first; one from last time that has turned bad is told of', async () => {
    const builtIn = await mkdtemp(path.join(os.tmpdir(), 'built-in-'));
    await writeFile(path.join(builtIn, 'guide.gguf'), makeTestModel('scripted'));
    const config = { builtInModelsDir: builtIn, model: null };
    const first = await start({ models: ['random'], config });
    expect(first.server.state.now().current_model).toBe('guide');
    await putCurrentModel(first, { model: 'random' });
    await first.stop();
    const file = path.join(first.modelsDir, 'random.gguf');
    await writeFile(file, (await readFile(file)).subarray(0, 100_000));
    await utimes(file, 1_700_000_000, 1_700_000_000);
    const second = await start({ dataDir: first.dataDir, config });
    expect(second.server.state.now()).toMatchObject({
      current_model: 'guide',
      notices: [expect.stringMatching(/^random\.gguf is cut off: .* Download it again\.$/)],
    });
    expect(await say(second)).toBe(SCRIPTED_SENTENCE);
    await rm(builtIn, { recursive: true });
  });

  it('follows the files: the first to come is taken, one that goes is replaced', async () => {
    const test = await start();
    await writeFile(path.join(test.modelsDir, 'a.gguf'), makeTestModel('scripted'));
    await test.until(isLoaded('a'));
    expect(test.server.state.now().current_model).toBe('a');
    await writeFile(path.join(test.modelsDir, 'b.gguf'), makeTestModel('random'));
    await test.until(({ models }) => models.length === 2);
    expect(test.server.state.now().current_model).toBe('a');
    await rm(path.join(test.modelsDir, 'a.gguf'));
    await test.until(({ current_model }) => current_model === 'b');
    expect(await say(test)).not.toBe('');
  });

  it('comes back when its file does: a file that is being replaced is bad for a while', async () => {
    const test = await start({ models: ['scripted', 'random'] });
    await putCurrentModel(test, { model: 'random' });
    await test.until(isLoaded('random'));
    const file = path.join(test.modelsDir, 'random.gguf');
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, 100_000));
    const state = await test.until(({ current_model }) => current_model === 'scripted');
    expect(state.notices).toEqual([expect.stringMatching(/^random\.gguf may still be arriving/)]);
    await rm(file);
    await writeFile(file, bytes);
    const again = await test.until(({ current_model }) => current_model === 'random');
    expect(again.notices).toEqual([]);
    expect(await say(test)).not.toBe('');
  });
});
