/** Answers of an engine, for tests of what is made of them. */
import fc from 'fast-check';
import type { EngineEvent, FinishReason, ToolCallDelta } from '../../protocol/engine.js';
import { doneEvent } from '../generation/test-generation.js';
import { ResponseBuilder } from './builder.js';
import { parseResponseRequest } from './request.js';

export function builder(): ResponseBuilder {
  const { settings } = parseResponseRequest({ input: 'Hi.', metadata: { a: 'b' } });
  return new ResponseBuilder({ id: 'resp_1', created: 1_700_000_000, model: '模型', settings });
}

let index = 0;
export const token = () => ({
  ...{ type: 'token' as const, seq: 0, index: index++, tokenId: 1, text: '' },
});

interface Said {
  content?: string;
  reasoning?: string;
  toolCalls?: ToolCallDelta[];
}

export const delta = ({ content = '', reasoning = '', toolCalls = [] }: Said): EngineEvent => ({
  ...{ type: 'delta', seq: 0, content, reasoning, toolCalls },
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const piece = fc.oneof(
  text.map((reasoning): Said => ({ reasoning })),
  text.map((content): Said => ({ content })),
  text.map((part): Said => ({ toolCalls: [{ index: 0, arguments: part }] })),
  fc.constant<Said>({}),
);

/** Pieces as an engine says them: each run of pieces of a call is a call of its own, its name in the first one. */
function asEvents(pieces: readonly Said[]): EngineEvent[] {
  let call = -1;
  return pieces.flatMap(({ toolCalls, ...said }, i) => {
    const [part] = toolCalls ?? [];
    if (!part) return [token(), delta(said)];
    if (pieces[i - 1]?.toolCalls)
      return [token(), delta({ toolCalls: [{ ...part, index: call }] })];
    call++;
    const first = { ...part, index: call, id: `id${call}`, name: `function_${call}` };
    return [token(), delta({ toolCalls: [first] })];
  });
}

/** Any answer, to its end. */
export const answer = fc
  .tuple(
    fc.array(piece, { maxLength: 12 }),
    fc.constantFrom<FinishReason>('eog', 'length', 'tool_calls', 'stop_string'),
  )
  .map(([pieces, finishReason]) => [...asEvents(pieces), doneEvent({ finishReason })]);
