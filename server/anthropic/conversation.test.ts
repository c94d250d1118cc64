import { describe, expect, it } from 'vitest';
import { toConversation } from './conversation.js';

const text = (value: string) => ({ type: 'text', text: value });
const call = { type: 'tool_use', id: 'toolu_abc', name: 'look', input: { at: 1 } };

describe('a conversation', () => {
  it('has one system message, from wherever its parts come', () => {
    const { messages } = toConversation(
      [text('One.'), text('Two.')],
      [
        { role: 'user', content: 'Hi.' },
        { role: 'system', content: 'Three.' },
        { role: 'user', content: 'So?' },
      ],
    );
    expect(messages).toEqual([
      { role: 'system', content: 'One.\nTwo.\n\nThree.' },
      { role: 'user', content: 'Hi.\nSo?' },
    ]);
  });

  it('makes one turn of those of one role', () => {
    const { messages, continueFinalMessage } = toConversation(null, [
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'user', content: 'c' },
      { role: 'assistant', content: 'd' },
      { role: 'assistant', content: [text('e'), text('f')] },
    ]);
    expect(messages).toEqual([
      { role: 'user', content: 'a\nb\nc' },
      { role: 'assistant', content: 'd\nef' },
    ]);
    expect(continueFinalMessage).toBe(true);
  });

  it('keeps thoughts and calls, and puts results right behind their calls', () => {
    const { messages, continueFinalMessage } = toConversation('', [
      { role: 'user', content: 'Hi.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'x' },
          { type: 'redacted_thinking', data: 'x' },
          text('Wait.'),
          call,
        ],
      },
      {
        role: 'user',
        content: [
          text('And?'),
          { type: 'tool_result', tool_use_id: 'toolu_abc', content: [text('r')], is_error: true },
        ],
      },
    ]);
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Wait.',
        reasoningContent: 'Hm.',
        toolCalls: [{ id: 'abc', name: 'look', arguments: '{"at":1}' }],
      },
      { role: 'tool', content: 'Error: r', toolCallId: 'abc', name: 'look' },
      { role: 'user', content: 'And?' },
    ]);
    expect(continueFinalMessage).toBe(false);
  });

  it('is not continued behind a call', () => {
    const { continueFinalMessage } = toConversation(null, [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: [text('Wait.'), call] },
    ]);
    expect(continueFinalMessage).toBe(false);
  });

  it('has no turn for an empty beginning of an answer', () => {
    const begun = toConversation(null, [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: '' },
    ]);
    expect(begun.messages).toEqual([{ role: 'user', content: 'Hi.' }]);
    expect(begun.continueFinalMessage).toBe(false);
  });

  it('keeps texts and images in order, over turns that are joined', () => {
    const source = { type: 'base64', media_type: 'image/gif', data: 'R0lGODlh' };
    const { messages } = toConversation(null, [
      { role: 'user', content: [{ type: 'image', source }, text('What is it?')] },
      { role: 'user', content: 'Say it.' },
    ]);
    const part = 'messages[0].content[0]';
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'image',
            data: Buffer.from(source.data, 'base64'),
            place: { part, value: `${part}.source.data` },
          },
          { type: 'text', text: 'What is it?' },
          { type: 'text', text: 'Say it.' },
        ],
      },
    ]);
  });

  it('names the place of what cannot be read', () => {
    const read = (content: { type: string }[], role: 'user' | 'assistant' = 'user') =>
      toConversation(null, [
        { role: 'user', content: 'Hi.' },
        { role, content },
      ]);
    const result = { type: 'tool_result', tool_use_id: 'toolu_abc' };
    expect(() => read([text('a'), { type: 'image' }])).toThrow(/content\[1\]\.source must be/);
    expect(() => read([{ type: 'image' }], 'assistant')).toThrow(/"image" cannot be part/);
    expect(() => read([{ type: 'audio' }])).toThrow(/"audio" cannot be used/);
    expect(() => read([result], 'assistant')).toThrow(/"tool_result" cannot be part/);
    expect(() => read([result])).toThrow(/messages\[1\]\.content\[0\]\.tool_use_id/);
    const broken = { ...call, input: 'text' };
    expect(() => read([broken], 'assistant')).toThrow(/content\[0\]\.input must be an object/);
    const inside = { ...result, content: [{ type: 'image' }] };
    expect(() =>
      toConversation(null, [
        { role: 'assistant', content: [call] },
        { role: 'user', content: [inside] },
      ]),
    ).toThrow(expect.objectContaining({ param: 'messages[1].content[0].content[0].type' }));
  });
});
