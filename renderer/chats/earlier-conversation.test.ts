import { expect, it } from 'vitest';
import { chatExportSchema } from '../../protocol/transfer.js';
import { earlierChat } from './earlier-conversation.js';

const turn = (question: string, text: string, change: object = {}) => ({
  id: 't',
  question,
  answer: {
    id: 'a',
    model: 'guide',
    text,
    reasoning: '',
    reasoningMs: null,
    status: 'complete',
    failure: null,
    measure: { tokensPerSecond: 1, firstTokenMs: 1, tokens: 1 },
    ...change,
  },
});
const stored = (...turns: object[]) => JSON.stringify({ version: 1, turns });

it('makes a chat of it, with each question below the answer before', () => {
  const thought = { reasoning: 'Hm', reasoningMs: 1200, status: 'running' };
  const chat = earlierChat(stored(turn('One?', 'Yes.'), turn('Two?', 'So', thought)), 'c', 5);
  expect(chatExportSchema.parse(chat)).toEqual(chat);
  const [first, second, third, fourth] = chat?.chats[0]?.messages ?? [];
  expect(first).toMatchObject({ role: 'user', text: 'One?', parent_id: null });
  expect(second).toMatchObject({ model: 'guide', parent_id: first?.id, status: 'complete' });
  expect(third?.parent_id).toBe(second?.id);
  expect(fourth).toMatchObject({
    status: 'stopped',
    parts: [
      { type: 'reasoning', text: 'Hm', ms: 1200 },
      { type: 'text', text: 'So' },
    ],
  });
  expect(chat?.chats[0]).toMatchObject({ title: 'One?', leaf_id: fourth?.id });
});

it('keeps the words of a failure', () => {
  const failed = { status: 'failed', failure: { title: 'T', message: 'Broke.', remedy: 'retry' } };
  const chat = earlierChat(stored(turn('Why?', '', failed)), 'c', 5);
  expect(chat?.chats[0]?.messages[1]).toMatchObject({
    status: 'failed',
    failure: { message: 'Broke.' },
    parts: [],
  });
});

it.each([null, '', '{', '[]', stored(), JSON.stringify({ version: 2, turns: [turn('a', 'b')] })])(
  'takes nothing from %j',
  (text) => {
    expect(earlierChat(text, 'c', 5)).toBeNull();
  },
);
