/**
 * `npx tsx bench/chats.ts [--chats N] [--messages N]`: how long the list, one long chat and the search take with as many
 * chats, over HTTP on a server of its own, without a model. Prints medians and the slowest of 20, in milliseconds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Database } from '../server/store/database.js';
import { startTestServer } from '../server/test-server.js';

const RUNS = 20;
/** Of the one chat that is long. */
const LONG = 2_000;

const { values } = parseArgs({
  options: {
    chats: { type: 'string', default: '5000' },
    messages: { type: 'string', default: '6' },
  },
});
const [chats, messages] = [Number(values.chats), Number(values.messages)];
const folder = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-chats-'));
fill(path.join(folder, 'data'));
const test = await startTestServer({ dataDir: path.join(folder, 'data') });
try {
  console.log(`${chats} chats of ${messages} messages, and one of ${LONG}`);
  await measure('the list', '/chats');
  await measure('the long chat', '/chats/chat-0');
  for (const [what, query] of [
    ['a word of all', 'several'],
    ['two words of few', 'message 4321'],
    ['nothing', 'xylophone'],
    ['two characters', '世界'],
    ['one letter', 'q'],
  ] as const) {
    await measure(`search: ${what}`, `/chats/search?q=${encodeURIComponent(query)}`);
  }
} finally {
  await test.close();
  await rm(folder, { recursive: true, force: true });
}

function fill(dataDir: string): void {
  const database = new Database(dataDir);
  database.write((connection) => {
    const chat = connection.prepare(
      `INSERT INTO chats (id, title, created_at, updated_at, settings, leaf_id)
       VALUES (?, ?, 0, ?, '{}', NULL)`,
    );
    const message = connection.prepare(
      `INSERT INTO chat_messages (id, chat_id, parent_id, role, created_at, text, model, status, parts)
       VALUES (?, ?, ?, ?, 0, ?, 'm', 'complete', ?)`,
    );
    for (let i = 0; i < chats; i++) {
      chat.run(`chat-${i}`, `Chat ${i} about something`, i);
      for (let j = 0; j < (i === 0 ? LONG : messages); j++) {
        const text = `Message ${i * j} of several. ${'Some words follow each other, as they do. '.repeat(12)}${i % 100 === 1 && j === 1 ? '世界' : ''}`;
        const role = j % 2 === 0 ? 'user' : 'assistant';
        const parent = j === 0 ? null : `chat-${i}-${j - 1}`;
        const parts = role === 'user' ? null : JSON.stringify([{ type: 'text', text }]);
        message.run(`chat-${i}-${j}`, `chat-${i}`, parent, role, text, parts);
      }
    }
  });
  database.close();
}

async function measure(what: string, route: string): Promise<void> {
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < RUNS; i++) {
    const began = performance.now();
    const response = await fetch(`${test.server.url}/pilotlight${route}`);
    bytes = (await response.arrayBuffer()).byteLength;
    times.push(performance.now() - began);
    if (response.status !== 200) throw new Error(`${route}: ${response.status}`);
  }
  times.sort((a, b) => a - b);
  const median = (times[RUNS / 2] ?? 0).toFixed(1);
  console.log(`${what}: ${median} ms, slowest ${times.at(-1)?.toFixed(1)} ms, ${bytes} bytes`);
}
