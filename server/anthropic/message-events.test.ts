import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Message,
  type MessageEvent,
  messageEventSchema,
  messageSchema,
} from '../../protocol/anthropic.js';
import type { EngineEvent, ToolCallDelta } from '../../protocol/engine.js';
import { doneEvent } from '../generation/test-generation.js';
import { CollectedMessage } from './collected-message.js';
import { MessageEncoder } from './message-encoder.js';
import { MessageEvents, type Telling } from './message-events.js';

const TELLING: Telling = { maxTokens: 100, showsThinking: true, tellsCache: false };
const HEAD = { id: 'msg_1', model: 'tést "模型"' };

const delta = (content: string, reasoning = '', toolCalls: ToolCallDelta[] = []): EngineEvent => ({
  type: 'delta',
  seq: 0,
  content,
  reasoning,
  toolCalls,
});

function told(events: readonly EngineEvent[], changes: Partial<Telling> = {}): MessageEvent[] {
  const message = new MessageEvents(HEAD, { ...TELLING, ...changes });
  return [...message.begin(7), ...events.flatMap((event) => message.next(event))];
}

function collected(events: readonly MessageEvent[]): Message {
  const message = new CollectedMessage();
  for (const event of events) message.push(event);
  return message.whole();
}

const types = (events: readonly MessageEvent[]) => events.map(({ type }) => type);

describe('the events of a message', () => {
  it('begin with the count of the prompt and end with message_stop', () => {
    const events = told([delta('Hi'), doneEvent({ promptTokens: 7, outputTokens: 2 })]);
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 7 }, content: [] } });
    expect(types(events)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.at(-2)).toMatchObject({ usage: { input_tokens: 7, output_tokens: 2 } });
  });

  it('have no block where there is no text', () => {
    expect(types(told([doneEvent()]))).toEqual([
      'message_start',
      'ping',
      'message_delta',
      'message_stop',
    ]);
  });

  it('sign the thinking, shown or not, the same way however it is cut', () => {
    const signature = (events: MessageEvent[]) => {
      const [block] = collected(events).content;
      if (block?.type !== 'thinking') throw new Error('the block is another');
      expect(block.signature).toMatch(/.{20}/);
      return block;
    };
    const whole = signature(told([delta('', 'one two'), doneEvent()]));
    const cut = signature(told([delta('', 'one '), delta('', 'two'), doneEvent()]));
    const hidden = signature(told([delta('', 'one two'), doneEvent()], { showsThinking: false }));
    expect(whole).toEqual(cut);
    expect(hidden).toEqual({ ...whole, thinking: '' });
  });

  it('count what comes from the cache apart only where that is asked for', () => {
    const end = doneEvent({ promptTokens: 7, cachedTokens: 5 });
    expect(collected(told([end])).usage).toMatchObject({
      input_tokens: 7,
      cache_read_input_tokens: 0,
    });
    expect(collected(told([end], { tellsCache: true })).usage).toMatchObject({
      input_tokens: 2,
      cache_read_input_tokens: 5,
    });
  });

  it.each([
    [{ finishReason: 'eog' }, 'end_turn', null],
    [{ finishReason: 'stop_string', stopString: 'x' }, 'stop_sequence', 'x'],
    [{ finishReason: 'stop_string' }, 'end_turn', null],
    [{ finishReason: 'length', outputTokens: 100 }, 'max_tokens', null],
    [{ finishReason: 'length', outputTokens: 99 }, 'model_context_window_exceeded', null],
    [{ finishReason: 'tool_calls' }, 'tool_use', null],
  ] as const)('tell why it ended: %j', (end, stop_reason, stop_sequence) => {
    const message = collected(told([doneEvent(end)]));
    expect(message).toMatchObject({ stop_reason, stop_sequence });
  });

  it('tell nothing of an answer that nobody asked for', () => {
    const end = doneEvent({ finishReason: 'length', outputTokens: 1 });
    const message = collected(told([delta('Hi'), end], { maxTokens: 0 }));
    expect(message).toMatchObject({ content: [], stop_reason: 'max_tokens' });
    expect(message.usage.output_tokens).toBe(0);
  });
});

it('an error is an event of its own', () => {
  const encoder = new MessageEncoder(new MessageEvents(HEAD, TELLING), 'req_1');
  const error: EngineEvent = { type: 'error', seq: 0, code: 'engine_crashed', message: 'Gone.' };
  const [payload] = encoder.encode([error]);
  if (typeof payload !== 'object') throw new Error('the event has no name');
  expect(payload.event).toBe('error');
  expect(JSON.parse(payload.data)).toEqual({
    type: 'error',
    error: { type: 'overloaded_error', message: 'Gone.' },
    request_id: 'req_1',
  });
});

/** An answer: thoughts, texts and calls in any order, each cut into pieces anywhere. */
type Part = { kind: 'reasoning' | 'content' | 'call'; pieces: string[] };

const part: fc.Arbitrary<Part> = fc.record({
  kind: fc.constantFrom('reasoning', 'content', 'call'),
  pieces: fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 1, maxLength: 5 }),
});

function toDeltas(parts: readonly Part[]): EngineEvent[] {
  let calls = 0;
  return parts.flatMap(({ kind, pieces }) => {
    if (kind === 'reasoning') return pieces.map((text) => delta('', text));
    if (kind === 'content') return pieces.map((text) => delta(text));
    const index = calls++;
    const begin = { index, id: `id${index}`, name: 'look', arguments: '{"text": "' };
    const rest = [...pieces.map((text) => JSON.stringify(text).slice(1, -1)), '"}'];
    return [begin, ...rest.map((text) => ({ index, arguments: text }))].map((piece) =>
      delta('', '', [piece]),
    );
  });
}

it('any answer: blocks without gaps, deltas of their block, and the stream joins to the message', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const events = told([...toDeltas(parts), doneEvent()]);
      let open: { index: number; type: string } | null = null;
      let next = 0;
      for (const event of events) {
        expect(messageEventSchema.parse(event)).toEqual(event);
        if (event.type === 'content_block_start') {
          expect(open).toBeNull();
          expect(event.index).toBe(next++);
          open = { index: event.index, type: event.content_block.type };
        } else if (event.type === 'content_block_delta') {
          expect(event.index).toBe(open?.index);
          expect(OF_BLOCK[event.delta.type]).toBe(open?.type);
        } else if (event.type === 'content_block_stop') {
          expect(event.index).toBe(open?.index);
          open = null;
        }
      }
      expect(open).toBeNull();

      const message = collected(events);
      expect(messageSchema.parse(message)).toEqual(message);
      const text = (kind: string) =>
        parts.flatMap((each) => (each.kind === kind ? each.pieces : [])).join('');
      const of = (type: string) => message.content.filter((block) => block.type === type);
      expect(
        of('text')
          .map((block) => 'text' in block && block.text)
          .join(''),
      ).toBe(text('content'));
      expect(
        of('thinking')
          .map((block) => 'thinking' in block && block.thinking)
          .join(''),
      ).toBe(text('reasoning'));
      const calls = parts.filter(({ kind }) => kind === 'call');
      expect(of('tool_use').map((block) => 'input' in block && block.input)).toEqual(
        calls.map(({ pieces }) => ({ text: pieces.join('') })),
      );
      const ids = of('tool_use').map((block) => 'id' in block && block.id);
      expect(ids).toEqual(calls.map((_, i) => `toolu_id${i}`));
    }),
  );
});

const OF_BLOCK = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'tool_use',
} as const;
