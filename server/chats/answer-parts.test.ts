import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessagePart } from '../../protocol/chats.js';
import { AnswerParts } from './answer-parts.js';

const pieces = fc.array(
  fc.record({ kind: fc.constantFrom('text' as const, 'reasoning' as const), text: fc.string() }),
);

describe('the parts of an answer', () => {
  it('hold all text in order, and the deltas tell the same', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const answer = new AnswerParts('m');
        const told: MessagePart[] = [];
        all.forEach(({ kind, text }, at) => {
          const delta = answer.push(kind, text, at);
          expect(delta === null).toBe(text === '');
          if (delta === null) return;
          const part = told[delta.part];
          if (part === undefined) {
            told[delta.part] =
              kind === 'text' ? { type: kind, text } : { type: kind, text, ms: null };
          } else if (part.type === kind) {
            part.text += text;
          }
        });
        const texts = (parts: readonly MessagePart[]) =>
          parts.map((part) => (part.type === 'tool_call' ? null : [part.type, part.text]));
        expect(texts(answer.parts)).toEqual(texts(told));
        const joined = (kind: string) =>
          all.map((piece) => (piece.kind === kind ? piece.text : '')).join('');
        for (const kind of ['text', 'reasoning']) {
          const own = answer.parts.map((part) =>
            part.type === kind && 'text' in part ? part.text : '',
          );
          expect(own.join('')).toBe(joined(kind));
        }
      }),
    );
  });

  it('say how long each piece of reasoning took', () => {
    const answer = new AnswerParts('m');
    answer.push('reasoning', 'a', 100);
    answer.push('reasoning', 'b', 200);
    answer.push('text', 'c', 350);
    answer.push('reasoning', 'd', 400);
    expect(answer.endReasoning(450)).toBe(true);
    expect(answer.endReasoning(900)).toBe(false);
    expect(answer.parts).toEqual([
      { type: 'reasoning', text: 'ab', ms: 250 },
      { type: 'text', text: 'c' },
      { type: 'reasoning', text: 'd', ms: 50 },
    ]);
  });
});
