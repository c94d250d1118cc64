import { describe, expect, it } from 'vitest';
import type { WireChatMessage } from '../../protocol/openai.js';
import { ApiError } from '../http/errors.js';
import { toConversation } from './messages.js';

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
const text = (value: string) => ({ type: 'text', text: value });

function refusal(messages: WireChatMessage[]): { status: number; param: string | null } {
  try {
    toConversation(messages);
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, param: error.param };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('system messages', () => {
  it('are merged in order into one first message, developer ones too', () => {
    const { messages } = toConversation([
      { role: 'system', content: 'One.' },
      { role: 'user', content: 'Hi.' },
      { role: 'developer', content: [text('Two.'), text('And a half.')] },
      { role: 'assistant', content: 'Hello.' },
      { role: 'system', content: 'Three.' },
      { role: 'user', content: 'Go on.' },
    ]);
    expect(messages).toEqual([
      { role: 'system', content: 'One.\n\nTwo.\nAnd a half.\n\nThree.' },
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'Go on.' },
    ]);
  });

  it('are not made up where there are none', () => {
    expect(toConversation([{ role: 'user', content: 'Hi.' }]).messages).toEqual([
      { role: 'user', content: 'Hi.' },
    ]);
  });
});

describe('content', () => {
  it('as parts means the same as a string', () => {
    const asParts = toConversation([{ role: 'user', content: [text('Hi.')] }]);
    expect(asParts).toEqual(toConversation([{ role: 'user', content: 'Hi.' }]));
  });

  it('may be empty, and may be a refusal of earlier', () => {
    const { messages } = toConversation([
      { role: 'user', content: '' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { role: 'user', content: '?' },
    ]);
    expect(messages.map(({ content }) => content)).toEqual(['', 'No.', '?']);
  });

  it('keeps its parts where an image is among them', () => {
    const parts = [
      text('A'),
      { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
      text('B'),
      { type: 'image_url', image_url: PIXEL },
    ];
    const { messages } = toConversation([{ role: 'user', content: parts }]);
    const data = Buffer.from(PIXEL.slice(PIXEL.indexOf(',') + 1), 'base64');
    const at = (i: number) => `messages[0].content[${i}]`;
    expect(messages[0]?.content).toEqual([
      { type: 'text', text: 'A' },
      { type: 'image', data, place: { part: at(1), value: `${at(1)}.image_url.url` } },
      { type: 'text', text: 'B' },
      { type: 'image', data, place: { part: at(3), value: `${at(3)}.image_url` } },
    ]);
  });

  it.each<[string, WireChatMessage, string]>([
    [
      'an image without one',
      { role: 'user', content: [text('?'), { type: 'image_url' }] },
      '.content[1].image_url',
    ],
    [
      'an image of the assistant',
      { role: 'assistant', content: [{ type: 'image_url', image_url: { url: PIXEL } }] },
      '.content[0].type',
    ],
    ['audio', { role: 'user', content: [{ type: 'input_audio' }] }, '.content[0].type'],
    ['a text part without text', { role: 'user', content: [{ type: 'text' }] }, '.content[0].text'],
    ['nothing', { role: 'user', content: null }, '.content'],
    ['an empty list', { role: 'user', content: [] }, '.content'],
    ['nothing from the assistant', { role: 'assistant' }, '.content'],
    ['a function call', { role: 'assistant', function_call: {} }, '.function_call'],
    ["a tool's answer to nothing", { role: 'tool', content: '7' }, '.tool_call_id'],
    ["a tool's answer without words", { role: 'tool', tool_call_id: 'c' }, '.content'],
  ])('that is %s is refused by its place', (_, message, param) => {
    expect(refusal([{ role: 'user', content: 'Hi.' }, message])).toEqual({
      status: 400,
      param: `messages[1]${param}`,
    });
  });
});

describe('the assistant', () => {
  it('goes on where its own message is the last', () => {
    const { continueFinalMessage, messages } = toConversation([
      { role: 'user', content: 'Say yes.' },
      { role: 'assistant', content: 'Y', reasoning_content: 'Hm.' },
    ]);
    expect(continueFinalMessage).toBe(true);
    expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'Y', reasoningContent: 'Hm.' });
  });

  it('begins anew else', () => {
    expect(toConversation([{ role: 'user', content: 'Hi.' }]).continueFinalMessage).toBe(false);
  });

  it('calls tools, which answer', () => {
    const call = {
      id: 'c1',
      type: 'function' as const,
      function: { name: 'look', arguments: '{}' },
    };
    const turn: WireChatMessage = { role: 'assistant', content: null, tool_calls: [call] };
    const { messages, continueFinalMessage } = toConversation([
      turn,
      { role: 'tool', tool_call_id: 'c1', content: [text('7'), text('8')] },
      { role: 'function', name: 'look', content: '9' },
      turn,
    ]);
    const calls = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }],
    };
    expect(messages).toEqual([
      calls,
      { role: 'tool', content: '7\n8', toolCallId: 'c1' },
      { role: 'tool', content: '9', name: 'look' },
      calls,
    ]);
    expect(continueFinalMessage).toBe(false);
  });

  it('may have called no tools', () => {
    const message: WireChatMessage = { role: 'assistant', content: 'Hi.', tool_calls: [] };
    expect(toConversation([message]).messages).toEqual([{ role: 'assistant', content: 'Hi.' }]);
  });
});
