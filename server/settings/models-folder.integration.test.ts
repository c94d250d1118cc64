// Whether a folder can hold models, as the first run asks before it is chosen.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FolderCheck, folderCheckSchema } from '../../protocol/settings.js';
import { failure, type TestServer, testServers } from '../test-server.js';

const start = testServers();

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'földer '));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function post(test: TestServer, body: unknown): Promise<Response> {
  return fetch(`${test.server.url}/pilotlight/models-folder/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const check = async (test: TestServer, wanted: string | null): Promise<FolderCheck> =>
  folderCheckSchema.parse(await (await post(test, { path: wanted })).json());

it('tells the folder as it is, and what its drive has free', async () => {
  const test = await start({ models: [] });
  const now = await check(test, null);
  expect(now).toMatchObject({ problem: null, is_fixed: false });
  expect(now.path).toBe(test.server.state.now().models_dir);
  expect(now.default_path).toBe(now.path);
  expect(now.free_bytes).toBeGreaterThan(0);
});

it('leaves nothing behind in a folder that it looks at', async () => {
  const test = await start({ models: [] });
  expect(await check(test, folder)).toMatchObject({ path: folder, problem: null });
  expect(await readdir(folder)).toEqual([]);
  expect(test.server.state.now().models_dir).not.toBe(folder);
});

it('tells what is wrong with others', async () => {
  const test = await start({ models: [] });
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  const problem = async (wanted: string) => (await check(test, wanted)).problem;
  expect(await problem('models')).toBe('not_absolute');
  expect(await problem(`${folder}\0`)).toBe('not_absolute');
  expect(await problem(path.join(folder, 'nothing'))).toBe('missing');
  expect(await problem(file)).toBe('not_a_folder');
});

it.runIf(process.platform === 'linux')('tells of a folder that takes no files', async () => {
  const test = await start({ models: [] });
  // Not even root can.
  expect(await check(test, '/proc')).toMatchObject({ problem: 'not_writable' });
});

it('tells of the models folder that has gone with its drive', async () => {
  const test = await start({ models: [] });
  const drive = path.join(folder, 'drive');
  await mkdir(drive);
  const moved = await fetch(`${test.server.url}/pilotlight/settings`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ models_dir: drive }),
  });
  expect(moved.status).toBe(200);
  expect(await check(test, null)).toMatchObject({ path: drive, problem: null });
  await rm(drive, { recursive: true });
  expect(await check(test, null)).toMatchObject({ path: drive, problem: 'missing' });
});

it('says where the folder was named for this start', async () => {
  const test = await start({ models: [], config: { isModelsDirGiven: true } });
  expect(await check(test, null)).toMatchObject({ is_fixed: true });
});

it('refuses what names no folder', async () => {
  const test = await start({ models: [] });
  expect(await failure(await post(test, { path: '' }))).toMatchObject({
    status: 400,
    param: 'path',
  });
  expect(await failure(await post(test, {}))).toMatchObject({ status: 400, param: 'path' });
});
