import { describe, expect, it } from 'vitest';
import type { ConversationItem } from '../../protocol/response-object.js';
import { toConversation } from './conversation.js';
import { readItems } from './items.js';

const messagesOf = (input: readonly unknown[], instructions: string | null = null) =>
  toConversation(readItems(input) as ConversationItem[], instructions).messages;

const call = (call_id: string, rest: object = {}) => ({
  ...{ type: 'function_call', call_id, name: `f_${call_id}`, arguments: '{}' },
  ...rest,
});
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'Done.' });
const reasoning = (text: string) => ({
  ...{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] },
});

it('puts instructions before all system and developer messages, as one first message', () => {
  const messages = messagesOf(
    [
      { role: 'user', content: 'Hi.' },
      { role: 'developer', content: 'B' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'C' }] },
    ],
    'A',
  );
  expect(messages).toEqual([
    { role: 'system', content: 'A\n\nB\n\nC' },
    { role: 'user', content: 'Hi.' },
  ]);
});

it('makes one turn of what an assistant reasons, says and calls', () => {
  const messages = messagesOf([
    { role: 'user', content: 'Hi.' },
    reasoning('Hm.'),
    { role: 'assistant', content: 'Let me see.' },
    call('1'),
    call('2'),
    output('2'),
    output('1'),
    reasoning('So.'),
    { role: 'assistant', content: 'It is done.' },
  ]);
  expect(messages).toEqual([
    { role: 'user', content: 'Hi.' },
    {
      role: 'assistant',
      content: 'Let me see.',
      reasoningContent: 'Hm.',
      toolCalls: [
        { id: '1', name: 'f_1', arguments: '{}' },
        { id: '2', name: 'f_2', arguments: '{}' },
      ],
    },
    { role: 'tool', content: 'Done.', toolCallId: '2', name: 'f_2' },
    { role: 'tool', content: 'Done.', toolCallId: '1', name: 'f_1' },
    { role: 'assistant', content: 'It is done.', reasoningContent: 'So.' },
  ]);
});

it('keeps two answers in a row apart', () => {
  const messages = messagesOf([
    { role: 'assistant', content: 'One.' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Two.' }] },
    reasoning('Hm.'),
    call('1'),
  ]);
  expect(messages.map(({ content }) => content)).toEqual(['One.', 'Two.', '']);
});

it('leaves out a call that was cut off', () => {
  const cut = call('1', { arguments: '{"a', status: 'incomplete' });
  expect(messagesOf([{ role: 'user', content: 'Hi.' }, cut])).toHaveLength(1);
});

describe('an answer that comes last', () => {
  const ends = (status: string) =>
    toConversation(
      readItems([{ role: 'assistant', content: 'Half a', status }]) as ConversationItem[],
      null,
    ).continueFinalMessage;

  it('is gone on with where it was cut off, and only there', () => {
    expect(ends('incomplete')).toBe(true);
    expect(ends('completed')).toBe(false);
  });
});

it('gives a template the id of a call as the engine made it, since Mistral takes no other', () => {
  const [turn, result] = messagesOf([call('call_a1B2c3D4e'), output('call_a1B2c3D4e')]);
  expect(turn?.toolCalls?.[0]?.id).toBe('a1B2c3D4e');
  expect(result?.toolCallId).toBe('a1B2c3D4e');
});

it('refuses a result without its call', () => {
  expect(() => messagesOf([output('1')])).toThrow(/no function_call with the call_id "1"/);
});

it('refuses what has nothing to answer', () => {
  const nothing = [
    { role: 'assistant', content: '' },
    { type: 'reasoning', summary: [] },
  ];
  expect(() => messagesOf(nothing)).toThrow(/no message/);
});
