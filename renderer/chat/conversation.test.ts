import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Conversation,
  type ConversationAction,
  emptyConversation,
  reduce,
  runningAnswer,
} from './conversation.js';

const ask: ConversationAction = {
  type: 'ask',
  turnId: 't1',
  answerId: 'a1',
  question: 'Why?',
  model: 'guide',
};
const delta = (content: string, reasoning = '', at = 0, answerId = 'a1'): ConversationAction => ({
  type: 'delta',
  answerId,
  content,
  reasoning,
  at,
});
const run = (...actions: ConversationAction[]): Conversation =>
  actions.reduce(reduce, emptyConversation);
const lastAnswer = (conversation: Conversation) => conversation.turns.at(-1)?.answer;

describe('reduce', () => {
  it('gathers text and measures until the end', () => {
    const measure = { tokensPerSecond: 40, firstTokenMs: 12 };
    const state = run(
      ask,
      { type: 'progress', answerId: 'a1', progress: { stage: 'queued', ahead: 2 } },
      delta('Be'),
      delta('cause.'),
      { type: 'measure', answerId: 'a1', measure },
      { type: 'measure', answerId: 'a1', measure: { tokens: 3 } },
      { type: 'end', answerId: 'a1', status: 'complete', at: 9 },
    );
    expect(lastAnswer(state)).toMatchObject({
      text: 'Because.',
      status: 'complete',
      progress: null,
      reasoningMs: null,
      measure: { ...measure, tokens: 3 },
    });
    expect(runningAnswer(state)).toBeNull();
  });

  it('shows progress only before the answer begins', () => {
    const progress = { stage: 'loading', fraction: 0.5 } as const;
    const waiting = run(ask, { type: 'progress', answerId: 'a1', progress });
    expect(lastAnswer(waiting)?.progress).toEqual(progress);
    const writing = [delta('x'), { type: 'progress', answerId: 'a1', progress } as const];
    expect(lastAnswer(writing.reduce(reduce, waiting))?.progress).toBeNull();
  });

  it('measures the reasoning from its first piece to the first piece of the answer', () => {
    const state = run(ask, delta('', 'Hm', 1000), delta('', '…', 2000), delta('So', '', 4500));
    expect(lastAnswer(state)).toMatchObject({ reasoning: 'Hm…', reasoningMs: 3500 });
    expect(lastAnswer(reduce(state, delta(' on', '', 9000)))?.reasoningMs).toBe(3500);
  });

  it('ends the reasoning with an answer that was stopped during it', () => {
    const state = run(ask, delta('', 'Hm', 1000), {
      type: 'end',
      answerId: 'a1',
      status: 'stopped',
      at: 1800,
    });
    expect(lastAnswer(state)).toMatchObject({ status: 'stopped', reasoningMs: 800 });
  });

  it('keeps what had come when an answer fails', () => {
    const failure = { title: 'T', message: 'M', remedy: 'retry' } as const;
    const state = run(ask, delta('half'), { type: 'fail', answerId: 'a1', failure, at: 0 });
    expect(lastAnswer(state)).toMatchObject({ text: 'half', status: 'failed', failure });
  });

  it('asks again, with the same question or another', () => {
    const done = run(ask, delta('old'), {
      type: 'end',
      answerId: 'a1',
      status: 'complete',
      at: 0,
    });
    const again = reduce(done, { type: 'ask-again', answerId: 'a2', model: 'other' });
    expect(again.turns).toMatchObject([
      { id: 't1', question: 'Why?', answer: { id: 'a2', text: '', model: 'other' } },
    ]);
    const edited = reduce(done, {
      type: 'ask-again',
      answerId: 'a3',
      question: 'How?',
      model: 'guide',
    });
    expect(edited.turns[0]?.question).toBe('How?');
  });

  it('takes one question at a time', () => {
    const state = run(ask);
    expect(reduce(state, { ...ask, turnId: 't2', answerId: 'a2' })).toBe(state);
    expect(reduce(state, { type: 'ask-again', answerId: 'a2', model: 'guide' })).toBe(state);
  });

  it('ignores whatever comes for an answer that has ended or was replaced', () => {
    const ended = run(ask, { type: 'end', answerId: 'a1', status: 'stopped', at: 0 });
    const replaced = reduce(ended, { type: 'ask-again', answerId: 'a2', model: 'guide' });
    const failure = { title: '', message: '', remedy: 'retry' } as const;
    const late: ConversationAction[] = [
      delta('late'),
      { type: 'measure', answerId: 'a1', measure: { tokens: 1 } },
      { type: 'end', answerId: 'a1', status: 'complete', at: 0 },
      { type: 'fail', answerId: 'a1', failure, at: 0 },
    ];
    for (const action of late) {
      expect(reduce(ended, action)).toBe(ended);
      expect(reduce(replaced, action)).toBe(replaced);
      expect(reduce(emptyConversation, action)).toBe(emptyConversation);
    }
  });

  it('never touches the turns before the last one', () => {
    const first = run(ask, { type: 'end', answerId: 'a1', status: 'complete', at: 0 });
    const second = [
      { ...ask, turnId: 't2', answerId: 'a2' } as const,
      delta('x', '', 0, 'a2'),
    ].reduce(reduce, first);
    expect(second.turns[0]).toBe(first.turns[0]);
  });

  it('loses no text, however it is cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pieces) => {
        const state = run(ask, ...pieces.map(([content, reasoning]) => delta(content, reasoning)));
        expect(lastAnswer(state)?.text).toBe(pieces.map(([content]) => content).join(''));
        expect(lastAnswer(state)?.reasoning).toBe(pieces.map(([, r]) => r).join(''));
      }),
    );
  });
});
