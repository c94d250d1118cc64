// What DELETE /v1/responses/{id} does where nothing can be written: a disk without room, and a database that is held.
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';
import { mountDisk } from '../test-disk.js';
import { failure, startTestServer, type TestServer, testServers } from '../test-server.js';

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
