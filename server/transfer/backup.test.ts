// Backups made while their files change, and ones that somebody has made by hand.
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Database } from '../store/database.js';
import { writeBackup } from './backup.js';
import { unpackBackup } from './open-backup.js';

let dataDir: string;
let database: Database;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-backup-'));
  database = new Database(dataDir);
});
afterEach(async () => {
  database.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Of the backup, unpacked: each of its sums fits. */
async function backupWhile(change: (round: number) => Promise<void>): Promise<string> {
  const target = path.join(dataDir, 'incoming', 'backup.zip');
  let isDone = false;
  const writing = writeBackup({ dataDir, database, version: '1' }, target, Date.now()).finally(
    () => {
      isDone = true;
    },
  );
  const changing = (async () => {
    for (let round = 0; !isDone; round++) {
      await change(round);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await Promise.all([writing, changing]);
  const { folder } = await unpackBackup(target, path.join(dataDir, 'unpacked'));
  expect(readdirSync(path.dirname(target))).toEqual(['backup.zip']);
  return folder;
}

test('settings that are written meanwhile are in it as they were at one time', async () => {
  const file = path.join(dataDir, 'settings.json');
  const text = (round: number) => JSON.stringify({ words: 'x'.repeat(round * 1000) });
  await writeFile(file, text(0));
  const folder = await backupWhile(async (round) => {
    await writeFile(`${file}.new`, text(round));
    await rename(`${file}.new`, file);
  });
  const kept: unknown = JSON.parse(await readFile(path.join(folder, 'settings.json'), 'utf8'));
  expect(kept).toEqual({ words: expect.stringMatching(/^x*$/) });
});

test('attachments that are erased meanwhile are in it whole or not at all', async () => {
  const attachments = path.join(dataDir, 'attachments');
  await mkdir(attachments);
  const names = Array.from({ length: 200 }, (_, i) => `file${i}`);
  for (const name of names) await writeFile(path.join(attachments, name), name.repeat(1000));
  const folder = await backupWhile(async () => {
    const name = names.pop();
    if (name !== undefined) await unlink(path.join(attachments, name));
  });
  const kept = path.join(folder, 'attachments');
  for (const name of existsSync(kept) ? readdirSync(kept) : []) {
    expect(await readFile(path.join(kept, name), 'utf8')).toBe(name.repeat(1000));
  }
});
