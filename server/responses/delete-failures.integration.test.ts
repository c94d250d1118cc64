// What DELETE /v1/responses/{id} does where nothing can be written: a disk without room, and a database that is held.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';
import { failure, startTestServer, type TestServer, testServers } from '../test-server.js';

/** Enough for the small model, a log and an empty database. */
const DISK_MB = 4;

interface Disk {
  folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Makes room again. */
  clear(): void;
  remove(): void;
}

/** A small disk of its own; null where the system lets nobody mount one, such as all but root on Linux. */
function mountDisk(): Disk | null {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilotlight-disk-'));
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder];
  if (process.platform !== 'linux' || spawnSync('mount', options).status !== 0) {
    rmdirSync(folder);
    return null;
  }
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'w');
      const page = Buffer.alloc(4096);
      try {
        for (let i = 0; i <= DISK_MB * 256; i++) writeSync(file, page);
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(filler),
    remove: () => {
      // Lazily: the server's log is open until its process, this one, ends.
      spawnSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}

const ask = (test: TestServer) =>
  test.client.responses.create({ model: 'scripted', input: 'Hi.', metadata: { a: 'b' } });

const remove = (test: TestServer, id: string) =>
  fetch(`${test.server.url}/v1/responses/${id}`, { method: 'DELETE' });

/** All that there is of it. */
const wholeOf = async (test: TestServer, id: string) => [
  await test.client.responses.retrieve(id),
  (await test.client.responses.inputItems.list(id)).data,
];

it('is refused on a full disk, with the response left whole', async ({ skip }) => {
  const disk = mountDisk();
  if (!disk) return skip('nobody but root can mount a small disk');
  const test = await startTestServer({
    ...{ models: ['scripted'], dataDir: path.join(disk.folder, 'data') },
  });
  try {
    const { id } = await ask(test);
    const before = await wholeOf(test, id);
    disk.fill();
    expect(await failure(await remove(test, id))).toMatchObject({
      ...{ status: 503, code: 'not_deleted', param: null },
      message: expect.stringMatching(/could not be deleted.*still kept.*disk is full\.$/),
    });
    expect(await wholeOf(test, id)).toEqual(before);
    disk.clear();
    expect((await remove(test, id)).status).toBe(200);
    expect((await remove(test, id)).status).toBe(404);
  } finally {
    await test.close();
    disk.remove();
  }
});

const start = testServers();

it('is refused where another program holds the database', async () => {
  const test = await start({ models: ['scripted'] });
  const { id } = await ask(test);
  const before = await wholeOf(test, id);
  const other = new DatabaseSync(path.join(test.dataDir, 'pilotlight.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  try {
    expect(await failure(await remove(test, id))).toMatchObject({
      ...{ status: 503, code: 'not_deleted' },
      message: expect.stringContaining('database is locked'),
    });
    expect(await wholeOf(test, id)).toEqual(before);
  } finally {
    other.close();
  }
  expect((await remove(test, id)).status).toBe(200);
});
