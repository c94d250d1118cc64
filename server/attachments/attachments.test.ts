// What is kept and erased, with a clock in the test's hand; and readers that hang or die.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MessageStore } from '../chats/message-store.js';
import { ChatStore } from '../chats/store.js';
import { spawnChildProcess } from '../engine/spawn.js';
import { Database } from '../store/database.js';
import { mountDisk } from '../test-disk.js';
import { Attachments } from './attachments.js';
import { AttachmentStore } from './store.js';

const HOUR = 60 * 60 * 1000;

let dataDir: string;
let database: Database;
let now: number;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'attachments-'));
  database = new Database(dataDir);
  now = Date.now();
});
afterEach(async () => {
  database.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** @param script What the process runs that is to read the files. */
function open(script: string, patience = 30_000): Attachments {
  const entry = path.join(dataDir, `reader-${readdirSync(dataDir).length}.mjs`);
  writeFileSync(entry, script);
  return new Attachments({
    ...{ dataDir, database, patience, spawn: spawnChildProcess(entry) },
    ...{ log: pino({ level: 'silent' }), now: () => now },
  });
}

/** Says that each file is this text. */
const READS = `process.on('message', () => process.send({ type: 'extracted', content: {
  mediaType: 'text/plain', kind: 'text', text: 'Words.', pages: null, width: null, height: null, notice: null,
} }));`;

const take = (attachments: Attachments, name: string, text: string) =>
  attachments.take(Readable.from([Buffer.from(text)]), name);
const kept = () => {
  const folder = path.join(dataDir, 'attachments');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('an attachment', () => {
  it('goes when an hour has passed in which nothing had it', async () => {
    const attachments = open(READS);
    const { id } = await take(attachments, 'a.txt', 'a');
    now += HOUR - 1;
    await attachments.purge();
    expect(attachments.has(id)).toBe(true);
    now += 2;
    await attachments.purge();
    expect(attachments.has(id)).toBe(false);
    expect(kept()).toEqual([]);
  });

  it('stays as long as a draft or a message has it, and goes after the chat', async () => {
    const attachments = open(READS);
    const chats = new ChatStore(database, () => now);
    const messages = new MessageStore(database, () => now);
    const { sha256: _, ...file } = attachments.find((await take(attachments, 'a.txt', 'a')).id);
    const chat = chats.create({ title: null, folder_id: null, settings: {} });
    chats.patch(chat, { draft_attachments: [file.id] });
    now += 2 * HOUR;
    await attachments.purge();
    expect(chats.find(chat)?.draft_attachments).toEqual([file]);
    const question = {
      ...{ id: 'q', parent_id: null, created_at: now, edited_at: null },
      ...{ role: 'user' as const, text: 'What?', attachments: [file] },
    };
    messages.begin(chat, question, [], () => 'nobody');
    expect(chats.find(chat)).toMatchObject({ draft_attachments: [], messages: [question] });
    now += 2 * HOUR;
    await attachments.purge();
    expect(attachments.has(file.id)).toBe(true);
    chats.delete(chat);
    await attachments.purge();
    expect(attachments.has(file.id)).toBe(true);
    now += 2 * HOUR;
    chats.purge();
    await attachments.purge();
    expect(attachments.has(file.id)).toBe(false);
    expect(kept()).toEqual([]);
  });

  it('leaves the file where another one is of the same', async () => {
    const attachments = open(READS);
    const chats = new ChatStore(database, () => now);
    const chat = chats.create({ title: null, folder_id: null, settings: {} });
    const [one, two] = [await take(attachments, 'a', 'x'), await take(attachments, 'b', 'x')];
    chats.patch(chat, { draft_attachments: [two.id] });
    now += 2 * HOUR;
    await attachments.purge();
    expect([attachments.has(one.id), attachments.has(two.id)]).toEqual([false, true]);
    expect(await attachments.text(two.id)).toBe('Words.');
    expect(readFileSync(attachments.fileOf(two.id), 'utf8')).toBe('x');
  });

  it('is erased by the next server where one is killed before it has done so', async () => {
    const attachments = open(READS);
    const { id } = await take(attachments, 'a', 'x');
    now += 2 * HOUR;
    new AttachmentStore(database, () => now).removeUnused();
    expect(attachments.has(id)).toBe(false);
    expect(kept()).toHaveLength(2);
    await open(READS).purge();
    expect(kept()).toEqual([]);
    // What comes in again before that stays.
    const again = await take(attachments, 'a', 'x');
    now += 2 * HOUR;
    new AttachmentStore(database, () => now).removeUnused();
    const back = await take(attachments, 'a', 'x');
    expect(back.id).not.toBe(again.id);
    await attachments.purge();
    expect(kept()).toHaveLength(2);
  });

  it('stays on the disk where the database was begun anew', async () => {
    await take(open(READS), 'a', 'x');
    database.close();
    for (const name of readdirSync(dataDir)) {
      if (name.startsWith('pilotlight.sqlite')) await rm(path.join(dataDir, name));
    }
    database = new Database(dataDir);
    now += 48 * HOUR;
    await open(READS).purge();
    expect(kept()).toHaveLength(2);
  });

  it('comes back where its file was removed and is brought again', async () => {
    const attachments = open(READS);
    const { id } = await take(attachments, 'a', 'x');
    await rm(path.join(dataDir, 'attachments'), { recursive: true });
    await expect(attachments.text(id)).rejects.toMatchObject({ code: 'attachment_file_gone' });
    expect((await take(attachments, 'a', 'x')).id).toBe(id);
    expect(await attachments.text(id)).toBe('Words.');
  });
});

it('a file for which the disk has no room leaves nothing', async ({ skip }) => {
  const disk = mountDisk();
  if (disk === null) return skip('no disk can be mounted here');
  try {
    const entry = path.join(dataDir, 'reader.mjs');
    writeFileSync(entry, READS);
    const attachments = new Attachments({
      ...{ dataDir: disk.folder, database, spawn: spawnChildProcess(entry) },
      log: pino({ level: 'silent' }),
    });
    const big = Readable.from(Array.from({ length: 80 }, () => Buffer.alloc(64 * 1024, 'a')));
    await expect(attachments.take(big, 'big.txt')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(readdirSync(path.join(disk.folder, 'incoming'))).toEqual([]);
    expect(await take(attachments, 'small.txt', 'x')).toMatchObject({ name: 'small.txt' });
  } finally {
    disk.remove();
  }
});

describe('a file whose reader', () => {
  it.each([
    ['never answers', 'process.on("message", () => {});', 300, /given up/],
    ['runs in circles', 'process.on("message", () => { for (;;); });', 300, /given up/],
    [
      'dies',
      'process.on("message", () => process.kill(process.pid, "SIGKILL"));',
      30_000,
      /memory/,
    ],
  ])('%s is refused, and the next one is read', async (_, script, patience, words) => {
    await expect(take(open(script, patience), 'a', 'x')).rejects.toMatchObject({
      ...{ status: 400, code: 'file_too_complex', message: expect.stringMatching(words) },
    });
    expect(kept()).toEqual([]);
    expect(readdirSync(path.join(dataDir, 'incoming'))).toEqual([]);
    expect(await take(open(READS), 'a', 'x')).toMatchObject({ characters: 6 });
  });
});
