import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import { doneEvent } from '../generation/test-generation.js';
import { Answer } from './answer.js';

const delta = (part: Partial<Extract<EngineEvent, { type: 'delta' }>>): EngineEvent => ({
  type: 'delta',
  seq: 0,
  content: '',
  reasoning: '',
  toolCalls: [],
  ...part,
});
const done = (finishReason: 'eog' | 'tool_calls') => doneEvent({ finishReason });

function answer(...events: EngineEvent[]) {
  const collected = new Answer();
  for (const event of events) collected.push(event);
  return collected.choice(3);
}

describe('a collected answer', () => {
  it('joins its text and its reasoning', () => {
    const parts = [delta({ reasoning: 'Hm' }), delta({ content: 'a', reasoning: '.' })];
    expect(answer(...parts, delta({ content: 'b' }), done('eog'))).toEqual({
      index: 3,
      message: { role: 'assistant', content: 'ab', refusal: null, reasoning_content: 'Hm.' },
      logprobs: null,
      finish_reason: 'stop',
    });
  });

  it('joins the pieces of its calls, and then has no content where there was none', () => {
    const pieces = [
      { index: 0, id: 'one', name: 'look', arguments: '{' },
      { index: 0, arguments: '}' },
      { index: 1, id: 'two', name: 'tell', arguments: '{}' },
    ];
    expect(answer(delta({ toolCalls: pieces }), done('tool_calls'))).toMatchObject({
      message: {
        content: null,
        tool_calls: [
          { id: 'one', type: 'function', function: { name: 'look', arguments: '{}' } },
          { id: 'two', type: 'function', function: { name: 'tell', arguments: '{}' } },
        ],
      },
      finish_reason: 'tool_calls',
    });
  });

  it('that is empty is an empty text', () => {
    expect(answer(done('eog')).message.content).toBe('');
  });

  it('cannot be had before its end', () => {
    expect(() => answer(delta({ content: 'a' }))).toThrow(TypeError);
  });
});
