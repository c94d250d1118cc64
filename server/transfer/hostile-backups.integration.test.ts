// Backups that somebody has changed by hand, so that their sums fit all the same; and trouble of the disk.
import { createHash } from 'node:crypto';
import { createWriteStream, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import yazl from 'yazl';
import { restorePreviewSchema } from '../../protocol/transfer.js';
import { getChat, newChat, request, testChatServers } from '../chats/test-chats.js';
import { Database } from '../store/database.js';
import { MIGRATIONS } from '../store/migrations.js';
import { mountDisk } from '../test-disk.js';
import { failure, type TestServer } from '../test-server.js';
import { outputOf } from './archive.js';

const start = testChatServers();

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-hostile-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A backup of one chat after `change`, with these files besides. */
async function backupWith(change: string, files: Record<string, string> = {}) {
  const kept = path.join(folder, 'database');
  new Database(kept).close();
  const file = path.join(kept, 'pilotlight.sqlite');
  const database = new DatabaseSync(file);
  database.exec(`INSERT INTO chats (id, title, created_at, updated_at, settings) VALUES ('c', 'Theirs', 1, 1, '{}');
    INSERT INTO chat_messages (id, chat_id, role, created_at, text) VALUES ('m', 'c', 'user', 1, 'Hi');
    ${change}`);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
  database.close();
  const all = new Map<string, Buffer>([['pilotlight.sqlite', await readFile(file)]]);
  for (const [name, text] of Object.entries(files)) all.set(name, Buffer.from(text));
  const zip = new yazl.ZipFile();
  const output = outputOf(zip);
  for (const [name, content] of all) zip.addBuffer(content, name);
  const sums = [...all].map(([name, content]) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    return [name, { bytes: content.length, sha256 }];
  });
  const manifest = {
    ...{ format: 'pilotlight.backup', version: 1, program: '1', schema: MIGRATIONS.length },
    ...{ created_at: 1, files: Object.fromEntries(sums) },
  };
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), 'manifest.json');
  zip.end();
  const archive = path.join(folder, 'backup.zip');
  await pipeline(output, createWriteStream(archive));
  return readFile(archive);
}

const bring = ({ server }: TestServer, body: Buffer) =>
  fetch(`${server.url}/pilotlight/transfer/restores?name=b.zip`, {
    ...{ method: 'POST', body: new Uint8Array(body) },
  });

describe('a backup that was changed by hand', () => {
  test.each([
    ['settings that are no JSON', "UPDATE chats SET settings = 'nonsense'"],
    [
      'an answer of parts that there are not',
      `UPDATE chat_messages SET role = 'assistant', model = 'm', status = 'complete', parts = '[{"type":"evil"}]'`,
    ],
    ['a column too many', 'ALTER TABLE chats ADD COLUMN "id) VALUES (1); --" TEXT'],
    ['a table too few', 'DROP TABLE presets'],
  ])('with %s changes nothing', async (_, change) => {
    const here = await start({ models: [] });
    const mine = await newChat(here, { title: 'Mine' });
    const refused = await failure(await bring(here, await backupWith(change)));
    expect(refused).toMatchObject({
      ...{ status: 400, code: 'unreadable_file' },
      message: expect.stringMatching(/^This backup is damaged: its .*Nothing has been changed\.$/),
    });
    expect(await getChat(here, mine.id)).toMatchObject({ title: 'Mine' });
    expect(readdirSync(path.join(here.dataDir, 'incoming'))).toEqual([]);
  });

  test('with an attachment that has no name is refused', async () => {
    const here = await start({ models: [] });
    const backup = await backupWith('', { 'attachments/.': 'x' });
    expect(await failure(await bring(here, backup))).toMatchObject({
      ...{ status: 400, code: 'unreadable_file' },
    });
  });
});

test('a backup is looked at and put back by several windows at once', async () => {
  const here = await start({ models: [] });
  const backup = await backupWith('');
  const { id } = restorePreviewSchema.parse(await (await bring(here, backup)).json());
  const put = () => request(here, 'POST', `/transfer/restores/${id}`);
  for (const result of await Promise.all([put(), put(), put()])) {
    expect(result).toMatchObject({ chats: 1 });
  }
  expect(await getChat(here, 'c')).toMatchObject({ title: 'Theirs' });
});

test('a backup for which the disk has no room says so', async ({ skip }) => {
  const disk = mountDisk();
  if (disk === null) return skip('no disk can be mounted here');
  try {
    const here = await start({ models: [], dataDir: disk.folder });
    disk.fill();
    const refused = await failure(await fetch(`${here.server.url}/pilotlight/transfer/backup`));
    expect(refused.status).toBeGreaterThanOrEqual(503);
    expect(refused.message).toMatch(/full/);
    disk.clear();
    await here.stop();
  } finally {
    disk.remove();
  }
});

test('a backup that is too big unpacked for the disk is refused before any of it comes', async ({
  skip,
}) => {
  const disk = mountDisk();
  if (disk === null) return skip('no disk can be mounted here');
  try {
    const here = await start({ models: [], dataDir: disk.folder });
    // Of a few kilobytes, packed.
    const settings = ' '.repeat(8_000_000);
    const body = await backupWith('', { 'settings.json': settings });
    expect(body.length).toBeLessThan(200_000);
    const refused = await failure(await bring(here, body));
    expect(refused).toMatchObject({ status: 507, code: 'disk_full' });
    expect(refused.message).toMatch(
      /^There is not enough room on the disk of .*: 8\.\d MB are needed, .* Nothing has changed\.$/,
    );
    expect(readdirSync(path.join(disk.folder, 'incoming'))).toEqual([]);
    await here.stop();
  } finally {
    disk.remove();
  }
});

test('chats with times that there are not come in with those of today', async () => {
  const here = await start({ models: [] });
  const file = path.join(folder, 'chats.json');
  const message = { author: { role: 'user' }, content: { content_type: 'text', parts: ['Hi'] } };
  const mapping = { a: { id: 'a', parent: null, children: [], message } };
  const chats = [1e300, 9e15, 1_700_000_000].map((create_time, i) => ({
    ...{ id: `c${i}`, title: `Chat ${i}`, create_time, update_time: create_time, mapping },
    current_node: 'a',
  }));
  await writeFile(file, JSON.stringify(chats));
  const answer = await fetch(`${here.server.url}/pilotlight/transfer/imports?name=a.json`, {
    ...{ method: 'POST', body: new Uint8Array(await readFile(file)) },
  });
  const { id } = (await answer.json()) as { id: string };
  expect(await request(here, 'POST', `/transfer/imports/${id}`, {})).toEqual({
    ...{ imported: 3, skipped: 0, refused: [] },
  });
  const exported = await fetch(`${here.server.url}/pilotlight/transfer/export?format=markdown`);
  expect(exported.status).toBe(200);
  expect((await exported.arrayBuffer()).byteLength).toBeGreaterThan(100);
});
