import { expect, it } from 'vitest';
import type { ChatEvent } from '../../protocol/chats.js';
import { ChatsStore } from './chats-store.js';
import { answer, chatOf, question } from './test-chats.js';

function rig() {
  const frames: (() => void)[] = [];
  const calls: string[] = [];
  let receive = (_: string) => {};
  let path = (): string | null => null;
  const store = new ChatsStore({
    stream: (parts) => {
      ({ receive, path } = parts);
      const call = (name: string) => () => void calls.push(`${name} ${path()}`);
      return {
        start: call('start'),
        stop: call('stop'),
        retry: call('retry'),
        reconnect: call('reconnect'),
      };
    },
    nextFrame: (callback) => frames.push(callback),
  });
  const send = (...events: ChatEvent[]) => {
    for (const event of events) receive(JSON.stringify(event));
  };
  const paint = () => {
    for (const frame of frames.splice(0)) frame();
  };
  return { store, frames, calls, send, paint };
}

const chat = chatOf([question('q', null), answer('a', 'q', { parts: [], status: 'running' })], 'a');
const delta = (text: string): ChatEvent => ({
  type: 'delta',
  message_id: 'a',
  part: 0,
  kind: 'text',
  text,
});

it('listens for the chat that is open, and starts over for another one', () => {
  const { store, calls } = rig();
  store.start();
  store.open('a b');
  store.open('a b');
  store.open(null);
  expect(calls).toEqual([
    'start /pilotlight/chats/events?',
    'reconnect /pilotlight/chats/events?open=a+b',
    'reconnect /pilotlight/chats/events?',
  ]);
});

it('says which list it has, also where it has not been drawn yet, until it has missed a change', () => {
  const { store, calls, send } = rig();
  send({ type: 'list', version: 7, chats: [], folders: [] });
  store.open('c');
  send({ type: 'list-same' }, { type: 'folders', version: 8, folders: [] });
  store.open('d');
  send({ type: 'folders', version: 10, folders: [] });
  store.open('e');
  expect(calls).toEqual([
    'reconnect /pilotlight/chats/events?open=c&list=7',
    'reconnect /pilotlight/chats/events?open=d&list=8',
    'reconnect /pilotlight/chats/events?open=e',
  ]);
});

it('draws once a frame, whatever has come', () => {
  const { store, frames, send, paint } = rig();
  store.open('c');
  let drawn = 0;
  store.subscribe(() => {
    drawn += 1;
  });
  send(
    { type: 'list', version: 1, chats: [], folders: [] },
    { type: 'open', chat },
    delta('one'),
    delta(' two'),
  );
  expect([frames.length, drawn]).toEqual([1, 0]);
  paint();
  expect(drawn).toBe(1);
  const { opened } = store.snapshot();
  expect(opened.state === 'here' && opened.chat.messages.get('a')).toMatchObject({
    parts: [{ type: 'text', text: 'one two' }],
  });
});

it('forgets the chat that is left, and what still comes of it', () => {
  const { store, send, paint } = rig();
  store.open('c');
  send({ type: 'open', chat });
  paint();
  store.open('other');
  send(delta('late'), { type: 'open', chat });
  paint();
  expect(store.snapshot().opened).toEqual({ state: 'loading', id: 'other' });
});

it('refuses what is no event', () => {
  const { store } = rig();
  const broken = new ChatsStore({
    stream: ({ receive }) => {
      const start = () => receive('{"type":"nonsense"}');
      return { start, stop: start, retry: start, reconnect: start };
    },
    nextFrame: () => {},
  });
  expect(() => broken.start()).toThrow('another version');
  expect(store.snapshot().chats).toBeNull();
});
