import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type {
  ConversationItem,
  OutputItem,
  ResponseObject,
} from '../../protocol/response-object.js';
import { Database } from './database.js';
import { ResponseStore, type Retention } from './responses.js';

const DAY = 24 * 60 * 60 * 1000;
let dataDir: string;
let database: Database;
let now = 0;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'responses-'));
  database = new Database(dataDir);
  now = 1000 * DAY;
});
afterEach(async () => {
  database.close();
  await rm(dataDir, { recursive: true });
});

const store = (retention: Retention = { ageMs: 30 * DAY, bytes: 1e9 }) =>
  new ResponseStore(database, retention, () => now);

const message = (id: string, text: string): ConversationItem => ({
  ...{ type: 'message', id, role: 'user', status: 'completed' },
  content: [{ type: 'input_text', text }],
});
const answer = (id: string, text: string): OutputItem => ({
  ...{ type: 'message', id, role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
});

/** A response with one item of input and one of output. */
function save(to: ResponseStore, id: string, previous: string | null = null, text = 'text') {
  const response = { id, previous_response_id: previous, output: [answer(`out-${id}`, text)] };
  return to.save(response as ResponseObject, [message(`in-${id}`, text)]);
}

const idsOf = (items: readonly { id: string }[] | null) => items?.map(({ id }) => id) ?? null;

it('gives back what it was given, also after another start', () => {
  save(store(), 'a');
  database.close();
  database = new Database(dataDir);
  expect(store().find('a')).toEqual({
    ...{ id: 'a', previous_response_id: null, output: [answer('out-a', 'text')] },
  });
  expect(store().inputItems('a')).toEqual([message('in-a', 'text')]);
  expect(store().item('out-a')).toEqual(answer('out-a', 'text'));
  expect(store().find('b')).toBeNull();
  expect(store().inputItems('b')).toBeNull();
  expect(store().item('b')).toBeNull();
});

it('tells a conversation from its first item on, along one of its branches', () => {
  const kept = store();
  save(kept, 'a');
  save(kept, 'b', 'a');
  save(kept, 'other', 'a');
  save(kept, 'c', 'b');
  expect(idsOf(kept.conversation('c'))).toEqual(
    ['a', 'b', 'c'].flatMap((id) => [`in-${id}`, `out-${id}`]),
  );
});

it('tells none where a link is missing, rather than half of it', () => {
  const kept = store();
  save(kept, 'a');
  save(kept, 'b', 'a');
  save(kept, 'c', 'b');
  expect(kept.delete('a')).toBe(true);
  expect(kept.delete('a')).toBe(false);
  expect(kept.conversation('c')).toBeNull();
  expect(kept.conversation('nothing')).toBeNull();
  expect(kept.item('in-a')).toBeNull();
  expect(kept.find('c')).not.toBeNull();
});

it('forgets what nobody has used for too long, and keeps all that a living conversation needs', () => {
  save(store(), 'old');
  save(store(), 'first');
  now += 20 * DAY;
  store().conversation('first');
  save(store(), 'second', 'first');
  now += 20 * DAY;
  save(store(), 'new');
  expect(store().find('old')).toBeNull();
  expect(idsOf(store().conversation('second'))).toHaveLength(4);
});

it('forgets what was used least recently where the room is used up', () => {
  const text = 'x'.repeat(1000);
  for (const id of ['a', 'b', 'c', 'd']) {
    now++;
    save(store({ ageMs: DAY, bytes: 5000 }), id, null, text);
  }
  now++;
  store().conversation('b');
  now++;
  save(store({ ageMs: DAY, bytes: 5000 }), 'e', null, text);
  expect(['a', 'b', 'c', 'd', 'e'].filter((id) => store().find(id))).toEqual(['b', 'd', 'e']);
});

it('says so where it cannot keep one', () => {
  database.read((connection) => connection.exec('PRAGMA max_page_count = 1'));
  expect(save(store(), 'a', null, 'x'.repeat(100_000))).toBe(false);
  expect(store().find('a')).toBeNull();
});

it('still tells a conversation where nothing can be written', () => {
  const kept = store();
  save(kept, 'a');
  database.read((connection) => connection.exec('PRAGMA query_only = ON'));
  expect(idsOf(kept.conversation('a'))).toEqual(['in-a', 'out-a']);
  expect(database.notices()).toEqual([expect.stringContaining('cannot be kept')]);
});

it('leaves the text of what is deleted in no file', async () => {
  const kept = store();
  save(kept, 'a', null, 'zebra-quagga-4711');
  save(kept, 'b');
  expect(kept.delete('a')).toBe(true);
  const files = await readdir(dataDir);
  expect(files).toEqual(expect.arrayContaining(['pilotlight.sqlite', 'pilotlight.sqlite-wal']));
  for (const file of files) {
    const text = await readFile(path.join(dataDir, file), 'latin1');
    expect([file, text.includes('zebra-quagga-4711')]).toEqual([file, false]);
  }
  expect(kept.find('b')).not.toBeNull();
});
