import { expect, it } from 'vitest';
import { emptyConversation, reduce, type Turn } from './conversation.js';
import { requestMessages } from './history.js';

function turn(question: string, text: string): Turn {
  const asked = reduce(emptyConversation, {
    type: 'ask',
    turnId: question,
    answerId: 'a',
    question,
    model: 'm',
  }).turns[0] as Turn;
  return { ...asked, answer: { ...asked.answer, text, reasoning: 'thought' } };
}

it('sends questions and answers in order, and nothing of the answer that is asked for', () => {
  expect(requestMessages([turn('1', 'one'), turn('2', 'old answer')])).toEqual([
    { role: 'user', content: '1' },
    { role: 'assistant', content: 'one' },
    { role: 'user', content: '2' },
  ]);
});

it('joins questions that got no answer, so that roles alternate', () => {
  expect(
    requestMessages([turn('1', ''), turn('2', ' \n'), turn('3', 'three'), turn('4', '')]),
  ).toEqual([
    { role: 'user', content: '1\n\n2\n\n3' },
    { role: 'assistant', content: 'three' },
    { role: 'user', content: '4' },
  ]);
});
