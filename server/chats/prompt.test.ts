import { describe, expect, it } from 'vitest';
import type { AnswerMessage, ChatMessage, MessagePart } from '../../protocol/chats.js';
import type { ToolOffer } from '../mcp/tool-servers.js';
import { messagesOf, NO_TOOLS } from './prompt.js';

type ToolCall = Extract<MessagePart, { type: 'tool_call' }>;

const shared = { parent_id: null, created_at: 0, edited_at: null };
const question = (text: string): ChatMessage => ({
  ...{ ...shared, id: text, role: 'user', text, attachments: [] },
});
const answer = (...parts: MessagePart[]): AnswerMessage => ({
  ...{ ...shared, id: 'answer', role: 'assistant', model: 'm', parts },
  ...{ status: 'running', failure: null, measure: null },
});
const text = (said: string): MessagePart => ({ type: 'text', text: said });
const reasoning = (thought: string): MessagePart => ({ type: 'reasoning', text: thought, ms: 1 });
const call = (id: string, step: number, changes: Partial<ToolCall> = {}): ToolCall => ({
  ...{ type: 'tool_call', id, step, server: 'web', tool: 'search', arguments: '{"q": "a"}' },
  ...{ state: 'done', result: `result of ${id}`, reason: null, ms: 1, ...changes },
});
const offer: ToolOffer = {
  ...{ name: 'web_search', server: 'web', tool: 'search', description: '', schema: {} },
};
const tools = { offers: [offer], areKnown: true };

const wire = (id: string, name = 'web_search', args = '{"q":"a"}') => ({
  ...{ id, type: 'function', function: { name, arguments: args } },
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` });

describe('an answer with calls', () => {
  it('is told step by step', () => {
    const told = answer(text('Let me see.'), call('1', 0), call('2', 0), call('3', 1), text('So.'));
    expect(messagesOf([question('Why?'), told], 'Be kind.', { tools })).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'Let me see.', tool_calls: [wire('1'), wire('2')] },
      result('1'),
      result('2'),
      { role: 'assistant', content: '', tool_calls: [wire('3')] },
      result('3'),
      { role: 'assistant', content: 'So.' },
    ]);
  });

  it('is told in its words alone to a model that knows no tools', () => {
    const told = answer(text('Let me see.'), call('1', 0), text('So.'));
    expect(messagesOf([question('Why?'), told], null, { tools: NO_TOOLS })).toEqual([
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'Let me see.\n\nSo.' },
    ]);
  });

  it('keeps what led to its calls while it goes on, for a model of this machine', () => {
    const under = answer(reasoning('Hm.'), call('1', 0));
    const [, turn] = messagesOf([question('Why?'), under], null, { tools, isLocal: true });
    expect(turn).toMatchObject({ reasoning_content: 'Hm.' });
    const [, other] = messagesOf([question('Why?'), under], null, { tools, isLocal: false });
    expect(other).not.toHaveProperty('reasoning_content');
    const [, earlier] = messagesOf([question('Why?'), under, question('And?')], null, {
      tools,
      isLocal: true,
    });
    expect(earlier).not.toHaveProperty('reasoning_content');
  });

  it('has names and arguments that any engine takes', () => {
    const odd = [
      call('1', 0, { server: '', tool: 'two words', arguments: '{"q' }),
      call('2', 0, { arguments: '' }),
      call('3', 0, { state: 'writing', result: null }),
    ];
    const [, turn, , , last] = messagesOf([question('Why?'), answer(...odd)], null, { tools });
    expect(turn).toMatchObject({
      tool_calls: [wire('1', 'two_words', '{}'), wire('2', 'web_search', '{}'), wire('3')],
    });
    expect(last).toMatchObject({ role: 'tool', content: 'This call was not finished.' });
  });
});
