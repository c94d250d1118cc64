import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatEvent, ChatMessage } from '../../protocol/chats.js';
import { type ChatsState, gathered, noChats, type OpenChat, reduceChats } from './chats-state.js';
import { answer, chatOf, question, summary } from './test-chats.js';

const loading: ChatsState = { ...noChats, opened: { state: 'loading', id: 'c' } };
const opened = (messages: ChatMessage[], leaf: string | null): ChatsState =>
  reduceChats(loading, { type: 'open', chat: chatOf(messages, leaf) });
const running = opened(
  [question('q', null), answer('a', 'q', { parts: [], status: 'running' })],
  'a',
);
const run = (state: ChatsState, ...events: ChatEvent[]) => events.reduce(reduceChats, state);
function chatIn({ opened }: ChatsState): OpenChat {
  if (opened.state !== 'here') throw new Error(`It is ${opened.state}.`);
  return opened.chat;
}
const delta = (text: string, part = 0, kind: 'text' | 'reasoning' = 'text'): ChatEvent => ({
  type: 'delta',
  message_id: 'a',
  part,
  kind,
  text,
});
const chatNamed = (id: string, title = '') => ({ ...summary, id, title });

describe('the list', () => {
  it('takes over all, new ones, changes and deletions', () => {
    const folders = [{ id: 'f', name: 'Work', position: 0 }];
    const listed = run(noChats, {
      type: 'list',
      version: 5,
      chats: [chatNamed('1'), chatNamed('2')],
      folders,
    });
    expect(listed).toMatchObject({ chats: [{ id: '1' }, { id: '2' }], folders });
    const changed = run(
      listed,
      { type: 'chat', version: 6, chat: chatNamed('2', 'Two') },
      { type: 'chat', version: 7, chat: chatNamed('3') },
      { type: 'chat-deleted', version: 8, id: '1' },
      { type: 'folders', version: 9, folders: [] },
    );
    expect(changed).toMatchObject({ chats: [{ id: '2', title: 'Two' }, { id: '3' }], folders: [] });
    // Told again, it is the same: nothing is drawn anew.
    const again = run(changed, {
      type: 'list',
      version: 9,
      chats: [...(changed.chats ?? [])],
      folders: [],
    });
    expect(again.chats).toBe(changed.chats);
  });

  it('is never taken for that of a version whose changes have not all come', () => {
    const id = fc.constantFrom('1', '2', '3');
    const change = fc.oneof(
      fc.record({ type: fc.constant('chat' as const), id, title: fc.constantFrom('A', 'B') }),
      fc.record({ type: fc.constant('chat-deleted' as const), id }),
    );
    const arrives = fc.boolean();
    const opens = fc.option(fc.boolean(), { nil: false });
    const steps = fc.array(fc.record({ change, arrives, opens }), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (given) => {
        const server = new Map([['1', chatNamed('1')]]);
        let version = 1;
        const list = (known: number | null): ChatEvent =>
          known === version
            ? { type: 'list-same' }
            : { type: 'list', version, chats: [...server.values()], folders: [] };
        let window = run(noChats, list(null));
        for (const { change, arrives, opens } of given) {
          version++;
          if (change.type === 'chat') server.set(change.id, chatNamed(change.id, change.title));
          else server.delete(change.id);
          const event: ChatEvent =
            change.type === 'chat'
              ? { type: 'chat', version, chat: chatNamed(change.id, change.title) }
              : { type: 'chat-deleted', version, id: change.id };
          if (arrives) window = run(window, event);
          if (!opens) continue;
          window = run(window, list(window.listVersion));
          const shown = new Map(window.chats?.map((chat) => [chat.id, chat]));
          expect(shown).toEqual(server);
        }
      }),
    );
  });

  it('changes the open chat too', () => {
    const state = run(running, { type: 'chat', version: 1, chat: chatNamed('c', 'Named') });
    expect(chatIn(state)).toMatchObject({ title: 'Named', leaf_id: 'a' });
    expect(run(state, { type: 'chat-deleted', version: 1, id: 'c' }).opened).toEqual({
      state: 'missing',
      id: 'c',
    });
  });
});

describe('the open chat', () => {
  it('is the one asked for, or missing', () => {
    expect(run(loading, { type: 'open', chat: null }).opened).toEqual({
      state: 'missing',
      id: 'c',
    });
    const other = { ...chatOf([], null), id: 'other' };
    expect(run(loading, { type: 'open', chat: other })).toBe(loading);
    expect(run(noChats, { type: 'open', chat: other })).toBe(noChats);
  });

  it('tells nothing of messages before it is there', () => {
    expect(run(loading, delta('x'), { type: 'messages-deleted', ids: ['a'] })).toBe(loading);
  });

  it('gathers reasoning and text as parts', () => {
    const state = run(
      running,
      delta('Hm', 0, 'reasoning'),
      delta('…', 0, 'reasoning'),
      delta('So', 1),
    );
    expect(chatIn(state).messages.get('a')).toMatchObject({
      parts: [
        { type: 'reasoning', text: 'Hm…', ms: null },
        { type: 'text', text: 'So' },
      ],
    });
  });

  it('shows progress until the answer begins, and its pace until it ends', () => {
    const progress = { stage: 'queued', ahead: 2 } as const;
    const waiting = run(running, { type: 'progress', message_id: 'a', progress });
    expect(chatIn(waiting).live.get('a')?.progress).toEqual(progress);
    const writing = run(waiting, delta('x'), {
      type: 'rate',
      message_id: 'a',
      output_tokens: 7,
      tokens_per_s: 30,
    });
    const pace = { progress: null, outputTokens: 7, tokensPerSecond: 30 };
    expect(chatIn(writing).live.get('a')).toEqual(pace);
    const ended = run(writing, { type: 'message', message: answer('a', 'q') });
    expect(chatIn(ended).live.size).toBe(0);
    expect(run(ended, { type: 'progress', message_id: 'a', progress })).toBe(ended);
  });

  it('goes to another branch, and to the newest where its own is deleted', () => {
    const state = opened(
      [question('q', null), answer('a', 'q'), answer('b', 'q'), question('r', 'b')],
      'a',
    );
    const { settings, draft, draft_attachments } = chatIn(state);
    const there = run(state, { type: 'state', settings, leaf_id: 'r', draft, draft_attachments });
    expect(chatIn(there).branch).toEqual(['q', 'b', 'r']);
    const fewer = run(there, { type: 'messages-deleted', ids: ['r', 'b'] });
    expect(chatIn(fewer).branch).toEqual(['q', 'a']);
  });

  it('keeps untouched messages as they are, also over a reconnection', () => {
    const first = chatIn(running).messages.get('q');
    expect(chatIn(run(running, delta('x'))).messages.get('q')).toBe(first);
    const again = chatIn(opened([question('q', null), answer('a', 'q')], 'a'));
    const reopened = run(running, {
      type: 'open',
      chat: chatOf([question('q', null), answer('a', 'q')], 'a'),
    });
    expect(chatIn(reopened).messages.get('q')).toBe(first);
    expect(chatIn(reopened).messages.get('a')).toEqual(again.messages.get('a'));
  });
});

const pieces = fc.record({
  type: fc.constant('delta' as const),
  message_id: fc.constantFrom('a', 'b', 'gone'),
  part: fc.nat(2),
  kind: fc.constantFrom('text' as const, 'reasoning' as const),
  text: fc.string({ minLength: 1 }),
});
const others: fc.Arbitrary<ChatEvent> = fc.constantFrom(
  { type: 'message', message: answer('a', 'q', { parts: [], status: 'running' }) },
  { type: 'messages-deleted', ids: ['b'] },
  { type: 'progress', message_id: 'a', progress: { stage: 'memory' } },
);

it('comes to the same whether events are gathered or not', () => {
  const start = opened(
    [
      question('q', null),
      answer('a', 'q', { parts: [], status: 'running' }),
      answer('b', 'q', { parts: [], status: 'running' }),
    ],
    'a',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 5, arbitrary: pieces }, others)), (events) => {
      const all = run(start, ...events);
      expect(run(start, ...gathered(events))).toEqual(all);
    }),
  );
});

it('loses no text, however it is cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), (texts) => {
      const state = run(running, ...gathered(texts.map((text) => delta(text))));
      const message = chatIn(state).messages.get('a');
      const part = message?.role === 'assistant' ? message.parts[0] : undefined;
      expect(part?.type === 'text' ? part.text : '').toBe(texts.join(''));
    }),
  );
});
