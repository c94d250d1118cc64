import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it, vi } from 'vitest';
import {
  LONG_CYCLE_TEXT,
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
} from '../../scripts/test-models/scripts.js';
import { holdBack } from '../dialects/test-gate.js';
import { failure } from '../test-server.js';
import { addUpstream } from '../upstreams/test-upstreams.js';
import {
  answerIn,
  askIn,
  type ChatWindow,
  converse,
  getChat,
  hasEnded,
  hasStatus,
  newChat,
  openWindow,
  request,
  saidIn,
  testChatServers,
} from './test-chats.js';

const start = testChatServers();

/** Whose answers are longer than any test. */
const LONG = { models: ['scripted-long'], config: { contextLength: 30_000 } } as const;

const isWriting = (id: string | undefined) => (window: ChatWindow) => {
  const message = window.chat?.messages.find((each) => each.id === id);
  return message !== undefined && saidIn(message).length > LONG_CYCLE_TEXT.length;
};

describe('an answer', () => {
  it('is told as it comes, kept, counted, and gives the chat a title', async () => {
    const test = await start({ models: ['scripted'] });
    const list = await openWindow(test);
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const { question_id, answer_ids } = await converse(test, window, 'Where do words come from?');
    const [answerId] = answer_ids;
    const answer = answerIn(window.chat, answerId);
    expect(answer).toMatchObject({ status: 'complete', failure: null, model: 'scripted' });
    expect(saidIn(answer)).toBe(SCRIPTED_SENTENCE);
    expect(answer.measure).toMatchObject({ output_tokens: 22, context_size: 2048 });
    expect(answer.measure?.prompt_tokens).toBeGreaterThan(5);
    expect(window.events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(3);
    const kept = await getChat(test, id);
    expect(kept).toEqual(window.chat);
    expect(kept).toMatchObject({ leaf_id: answerId, answering: false, model: 'scripted' });
    expect(kept.messages).toMatchObject([
      { id: question_id, parent_id: null, role: 'user', text: 'Where do words come from?' },
      { id: answerId, parent_id: question_id },
    ]);
    // The model's title is a whole sentence, which is none.
    expect(kept).toMatchObject({ title: 'Where do words come from?', title_by: null });
    await list.until((seen) => seen.list.chats[0]?.answering === false);
    expect(list.events.some((event) => event.type === 'delta')).toBe(false);
    const usage = await (await fetch(`${test.server.url}/v1/usage?group_by=client`)).json();
    expect(JSON.stringify(usage)).toContain('"client":"window"');
  });

  it('keeps its reasoning apart, with its time, and a title of its model', async () => {
    const test = await start({ models: ['thinking'] });
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const { answer_ids } = await converse(test, window, 'How many apples?');
    const answer = answerIn(window.chat, answer_ids[0]);
    expect(answer.parts).toMatchObject([
      { type: 'reasoning', ms: expect.any(Number) },
      { type: 'text', text: THINKING_ANSWER },
    ]);
    expect(answer.parts[0]).toMatchObject({ text: expect.stringContaining(THINKING_TEXT) });
    await window.until(({ chat }) => chat?.title_by === 'model');
    expect(window.chat?.title).toBe('Five of them were left on your table');
    await request(test, 'PATCH', `/chats/${id}`, { title: 'Mine', settings: { thinking: false } });
    await window.until(({ chat }) => chat?.title_by === 'person');
    await request(test, 'PATCH', `/chats/${id}`, { title: '' });
    await window.until(({ chat }) => chat?.title_by === 'model');
    const again = await converse(test, window, 'And now?', { parent_id: answer.id });
    expect(answerIn(window.chat, again.answer_ids[0]).parts).toEqual([
      { type: 'text', text: THINKING_ANSWER },
    ]);
  });

  it('is told of from the loading of its model on', async () => {
    const gate = holdBack();
    const test = await start({ models: ['scripted'], wrap: gate.wrap });
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const { answer_ids } = await askIn(test, id, 'Hi.');
    await window.until(({ events }) =>
      events.some((event) => event.type === 'progress' && event.progress.stage === 'loading'),
    );
    gate.release();
    await window.until(hasStatus(answer_ids[0], 'complete'));
  });

  it('goes on while nobody looks', async () => {
    const test = await start({ models: ['scripted'] });
    const { id } = await newChat(test);
    const first = await openWindow(test, id);
    const { answer_ids } = await askIn(test, id, 'Hi.');
    first.close();
    const second = await openWindow(test, id);
    await second.until(hasEnded(answer_ids[0]));
    expect(saidIn(answerIn(second.chat, answer_ids[0]))).toBe(SCRIPTED_SENTENCE);
  });

  it('ends when it is stopped, with what had come, and goes on from there', async () => {
    const test = await start(LONG);
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const { answer_ids } = await askIn(test, id, 'Hi.');
    const [answerId] = answer_ids;
    await window.until(isWriting(answerId));
    await window.until(({ events }) => events.some(({ type }) => type === 'rate'));
    expect(await request(test, 'POST', `/chats/${id}/messages/${answerId}/stop`)).toEqual({
      ids: [answerId],
    });
    await test.idle();
    await window.until(({ chat }) => answerIn(chat, answerId).measure !== null);
    const stopped = answerIn(await getChat(test, id), answerId);
    expect(stopped).toMatchObject({ status: 'stopped', failure: null });
    expect(LONG_CYCLE_TEXT.repeat(10_000).startsWith(saidIn(stopped))).toBe(true);
    await request(test, 'PATCH', `/chats/${id}`, { settings: { sampling: { max_tokens: 20 } } });
    await request(test, 'POST', `/chats/${id}/messages/${answerId}/continue`);
    await window.until(hasStatus(answerId, 'length'));
    const whole = answerIn(window.chat, answerId);
    expect(saidIn(whole).startsWith(saidIn(stopped))).toBe(true);
    // The model may begin its round anew: the text's end has become other tokens.
    const rest = saidIn(whole).slice(saidIn(stopped).length);
    expect(rest.length).toBeGreaterThan(20);
    expect(LONG_CYCLE_TEXT.repeat(10).includes(rest)).toBe(true);
    expect(whole.measure?.output_tokens).toBe((stopped.measure?.output_tokens ?? 0) + 20);
    await window.until(({ chat }) => chat?.answering === false);
    expect(await getChat(test, id)).toEqual(window.chat);
  });

  it('tells why there is none, and begins anew', async () => {
    const test = await start({ models: ['scripted'] });
    const { id } = await newChat(test, { settings: { model: 'nobody' } });
    const window = await openWindow(test, id);
    const { answer_ids } = await converse(test, window, 'Hi.');
    expect(answerIn(window.chat, answer_ids[0])).toMatchObject({
      status: 'failed',
      failure: { code: 'model_not_found', message: expect.stringContaining('nobody') },
      parts: [],
    });
    const already = window.events.length;
    await request(test, 'POST', `/chats/${id}/messages/${answer_ids[0]}/continue`);
    // It runs, and fails again.
    await window.until(
      ({ events }) => events.slice(already).filter(({ type }) => type === 'message').length === 2,
    );
    expect(answerIn(window.chat, answer_ids[0])).toMatchObject({
      status: 'failed',
      failure: { code: 'model_not_found' },
    });
  });

  it('fails with its text where the engine is lost', async () => {
    const test = await start(LONG);
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const { answer_ids } = await askIn(test, id, 'Hi.');
    await window.until(isWriting(answer_ids[0]));
    test.engines.at(-1)?.kill();
    await window.until(hasEnded(answer_ids[0]));
    const answer = answerIn(window.chat, answer_ids[0]);
    expect(answer).toMatchObject({ status: 'failed', failure: { code: 'engine_crashed' } });
    expect(saidIn(answer).length).toBeGreaterThan(LONG_CYCLE_TEXT.length);
  });

  it('of another server streams too', async () => {
    const other = await start({ models: ['thinking'] });
    const test = await start({ models: ['scripted'] });
    await addUpstream(test, { url: other.server.url });
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const { answer_ids } = await converse(test, window, 'How many?', { models: ['thinking'] });
    const answer = answerIn(window.chat, answer_ids[0]);
    expect(answer).toMatchObject({ status: 'complete', model: 'thinking' });
    expect(saidIn(answer)).toBe(THINKING_ANSWER);
    expect(answer.measure?.output_tokens).toBeGreaterThan(10);
    expect(window.events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(1);
  });

  it('is given by each of several models', async () => {
    const test = await start({ models: ['scripted', 'thinking'] });
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const { question_id, answer_ids } = await converse(test, window, 'Hi.', {
      models: ['scripted', 'thinking'],
    });
    expect(answer_ids.map((each) => saidIn(answerIn(window.chat, each)))).toEqual([
      SCRIPTED_SENTENCE,
      THINKING_ANSWER,
    ]);
    expect(answer_ids.map((each) => answerIn(window.chat, each).parent_id)).toEqual([
      question_id,
      question_id,
    ]);
  });

  it('has the moment of the others that were asked for at once', async () => {
    const test = await start({ models: ['scripted'] });
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const models = ['scripted', 'scripted'];
    // A clock that moves on at each look.
    let looks = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => ++looks);
    const { answer_ids } = await converse(test, window, 'Hi.', { models });
    clock.mockRestore();
    const [left, right] = answer_ids.map((each) => answerIn(window.chat, each).created_at);
    expect(left).toBeGreaterThan(0);
    expect(left).toBe(right);
  });

  it('obeys the settings of its chat', async () => {
    const test = await start({ models: ['random'] });
    const schema =
      '{"type":"object","properties":{"a":{"enum":[1]}},"required":["a"],"additionalProperties":false}';
    const { id } = await newChat(test, {
      settings: { response_schema: schema, seed: 4, system_prompt: 'Be brief.' },
    });
    const window = await openWindow(test, id);
    const { answer_ids } = await converse(test, window, 'Hi.');
    expect(JSON.parse(saidIn(answerIn(window.chat, answer_ids[0])))).toEqual({ a: 1 });
  });
});

describe('a chat', () => {
  it('is a tree: edited questions, further answers, deletion and its undoing', async () => {
    const test = await start({ models: ['scripted'] });
    const { id } = await newChat(test);
    const window = await openWindow(test, id);
    const one = await converse(test, window, 'One');
    const [a1 = ''] = one.answer_ids;
    const two = await converse(test, window, 'Two', { parent_id: a1 });
    const other = await converse(test, window, 'Two, otherwise', { parent_id: a1 });
    expect(window.chat?.leaf_id).toBe(other.answer_ids[0]);
    await request(test, 'POST', `/chats/${id}/messages/${two.question_id}/answers`, {});
    await window.until(({ chat }) => chat?.messages.length === 7 && !chat.answering);
    // The way to a branch leads to its newest end.
    await request(test, 'PATCH', `/chats/${id}`, { leaf_id: other.question_id });
    await window.until(({ chat }) => chat?.leaf_id === other.answer_ids[0]);
    const gone = await request(test, 'DELETE', `/chats/${id}/messages/${other.question_id}`);
    expect(gone).toEqual({ ids: [other.question_id, ...other.answer_ids] });
    await window.until(({ chat }) => chat?.messages.length === 5);
    const newest = window.chat?.messages.at(-1)?.id;
    await window.until(({ chat }) => chat?.leaf_id === newest);
    await request(test, 'POST', `/chats/${id}/messages/${other.question_id}/restore`);
    await window.until(
      ({ chat }) => chat?.messages.length === 7 && chat.leaf_id === other.answer_ids[0],
    );
    await request(test, 'PATCH', `/chats/${id}/messages/${a1}`, { text: 'Mine.' });
    await window.until(({ chat }) => saidIn(answerIn(chat, a1)) === 'Mine.');
    const kept = await getChat(test, id);
    expect(new Set(kept.messages)).toEqual(new Set(window.chat?.messages));
    expect(answerIn(kept, a1).edited_at).toEqual(expect.any(Number));
  });

  it('is the same in every window', async () => {
    const test = await start({ models: ['scripted'] });
    const [one, two] = [await openWindow(test), await openWindow(test)];
    const { id } = await newChat(test, { title: 'Mine' });
    for (const window of [one, two]) await window.until(({ list }) => list.chats.length === 1);
    const open = await openWindow(test, id);
    const draft = 'Half a thou';
    await request(test, 'PATCH', `/chats/${id}`, { draft, pinned: true, settings: { seed: 3 } });
    await open.until(({ chat }) => chat?.draft === draft && chat.settings.seed === 3);
    await one.until(({ list }) => list.chats[0]?.pinned === true);
    await request(test, 'PATCH', `/chats/${id}`, { title: 'Other' });
    await two.until(({ list }) => list.chats[0]?.title === 'Other');
    expect(open.chat?.settings.seed).toBe(3);
    await converse(test, open, 'Hi.');
    await open.until(({ chat }) => chat?.draft === '');
    await request(test, 'DELETE', `/chats/${id}`);
    await two.until(({ list }) => list.chats.length === 0);
    await request(test, 'POST', `/chats/${id}/restore`);
    await open.until(({ chat }) => chat?.messages.length === 2);
    expect((await getChat(test, id)).title).toBe('Other');
  });

  it('lies in a folder, until that goes', async () => {
    const test = await start();
    const window = await openWindow(test);
    for (const name of ['B', 'A']) await request(test, 'POST', '/chat-folders', { name });
    await window.until(({ list }) => list.folders.length === 2);
    const [b, a] = window.list.folders;
    const { id } = await newChat(test, { folder_id: a?.id });
    await request(test, 'PATCH', `/chat-folders/${a?.id}`, { position: 0, name: 'Ä' });
    await window.until(({ list }) => list.folders[0]?.name === 'Ä');
    expect(window.list.folders).toMatchObject([
      { id: a?.id, position: 0 },
      { id: b?.id, position: 1 },
    ]);
    await request(test, 'DELETE', `/chat-folders/${a?.id}`);
    await window.until(({ list }) => list.folders.length === 1);
    await window.until(({ list }) => list.chats[0]?.folder_id === null);
    expect((await getChat(test, id)).folder_id).toBeNull();
  });

  it('has a draft that survives a restart, and presets do', async () => {
    const test = await start();
    const { id } = await newChat(test);
    await request(test, 'PATCH', `/chats/${id}`, { draft: 'Dräft' });
    const preset = { name: 'Pirate', system_prompt: 'Talk like a pirate.' };
    const added = (await request(test, 'POST', '/presets', preset)) as { id: string };
    await test.stop();
    const again = await start({ dataDir: test.dataDir });
    expect(await getChat(again, id)).toMatchObject({ draft: 'Dräft' });
    expect(await request(again, 'GET', '/presets')).toEqual({
      presets: [{ ...preset, id: added.id, built_in: false }],
    });
    await request(again, 'PUT', `/presets/${added.id}`, { ...preset, name: 'Corsair' });
    expect(await request(again, 'DELETE', `/presets/${added.id}`)).toEqual({ presets: [] });
  });
});

it('ends answers as interrupted where the server stops, with what had come', async () => {
  const test = await start(LONG);
  const { id } = await newChat(test);
  const window = await openWindow(test, id);
  const { answer_ids } = await askIn(test, id, 'Hi.');
  await window.until(isWriting(answer_ids[0]));
  await test.stop();
  const again = await start({ dataDir: test.dataDir });
  const answer = answerIn(await getChat(again, id), answer_ids[0]);
  expect(answer.status).toBe('interrupted');
  expect(saidIn(answer).length).toBeGreaterThan(LONG_CYCLE_TEXT.length);
});

it('keeps an answer in memory while it cannot be written, and writes it later', async () => {
  const test = await start({ models: ['scripted-long'] });
  const { id } = await newChat(test, { settings: { sampling: { max_tokens: 500 } } });
  const window = await openWindow(test, id);
  const { answer_ids } = await askIn(test, id, 'Hi.');
  const other = new DatabaseSync(path.join(test.dataDir, 'pilotlight.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  await window.until(hasEnded(answer_ids[0]));
  await test.until(({ notices }) => notices.some((notice) => notice.startsWith('Chats cannot')));
  const refused = await test.post(`/pilotlight/chats/${id}/messages`, {
    ...{ parent_id: answer_ids[0], text: 'And now?' },
  });
  expect(await failure(refused)).toMatchObject({ status: 503, code: 'not_saved' });
  const whole = saidIn(answerIn(await getChat(test, id), answer_ids[0]));
  expect(whole).toBe(saidIn(answerIn(window.chat, answer_ids[0])));
  other.exec('ROLLBACK');
  other.close();
  await test.until(({ notices }) => notices.length === 0);
  await test.stop();
  const again = await start({ dataDir: test.dataDir });
  const kept = answerIn(await getChat(again, id), answer_ids[0]);
  expect(kept.status).toBe('length');
  expect(saidIn(kept)).toBe(whole);
});

it('works, and says so, where chats can only be kept until the server stops', async () => {
  const first = await start({ models: ['scripted'] });
  await first.stop();
  const file = path.join(first.dataDir, 'pilotlight.sqlite');
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  mkdirSync(file);
  const test = await start({ dataDir: first.dataDir });
  const { id } = await newChat(test);
  const window = await openWindow(test, id);
  const { answer_ids } = await converse(test, window, 'Hi.');
  expect(saidIn(answerIn(await getChat(test, id), answer_ids[0]))).toBe(SCRIPTED_SENTENCE);
  expect(test.server.state.now().notices).toContainEqual(
    expect.stringMatching(/so chats, .* are kept until Pilotlight stops only/),
  );
});

describe('what is refused', () => {
  it('names the field, or what is not there', async () => {
    const test = await start({ models: ['scripted'] });
    const { id } = await newChat(test);
    const at = `/pilotlight/chats/${id}`;
    const refused = async (method: string, path: string, body?: unknown) =>
      failure(
        await fetch(test.server.url + path, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
    expect(await refused('GET', '/pilotlight/chats/none')).toMatchObject({
      status: 404,
      code: 'chat_not_found',
    });
    expect(await refused('POST', `${at}/messages`, { parent_id: null, text: ' ' })).toMatchObject({
      status: 400,
      param: 'text',
    });
    const book = { parent_id: null, text: 'x'.repeat(4_000_001) };
    expect(await refused('POST', `${at}/messages`, book)).toMatchObject({
      status: 400,
      message: expect.stringContaining('at most 4000000 characters'),
    });
    expect(await refused('POST', `${at}/messages`, { parent_id: 'x', text: 'a' })).toMatchObject({
      status: 404,
      code: 'message_not_found',
    });
    expect(await refused('PATCH', at, { pinned: 1 })).toMatchObject({
      status: 400,
      param: 'pinned',
    });
    expect(await refused('PATCH', at, { folder_id: 'none' })).toMatchObject({
      code: 'folder_not_found',
    });
    expect(await refused('PATCH', at, { settings: { response_schema: '{' } })).toMatchObject({
      param: 'settings.response_schema',
    });
    expect(await refused('PATCH', at, { leaf_id: 'none' })).toMatchObject({ param: 'leaf_id' });
    expect(await refused('POST', `${at}/restore`)).toMatchObject({ status: 404 });
    expect(await refused('PUT', at, {})).toMatchObject({ status: 405 });
  });

  it('is everything from elsewhere', async () => {
    const test = await start();
    for (const path of ['chats', 'chats/search?q=a', 'chat-folders', 'presets']) {
      const answer = await fetch(`${test.server.url}/pilotlight/${path}`, {
        headers: { via: '1.1 proxy' },
      });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });
});
