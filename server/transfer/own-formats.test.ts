import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_CHAT_SETTINGS } from '../../protocol/chat-settings.js';
import type { Chat, ChatMessage, MessagePart } from '../../protocol/chats.js';
import { pathTo } from '../chats/tree.js';
import { fileName } from './export-chats.js';
import { textOfParts } from './imported.js';
import { exportedChat, ownChat } from './own-json.js';
import { markdownChat, markdownOf } from './own-markdown.js';

type StoredChat = Omit<Chat, 'answering'>;

const hard = fc.constantFrom(
  '<!-- pilotlight:user -->',
  '\\<!-- pilotlight:answer {} -->',
  '```js\nlet a;\n```',
  '</details>',
  '# title\n\n\ntext',
  '🙂 日本語 العربية',
);
const text = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme' }), hard), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('\n').replace(/\r/g, '').trim())
  .filter((whole) => whole !== '');

const part: fc.Arbitrary<MessagePart> = fc.oneof(
  text.map((each): MessagePart => ({ type: 'text', text: each })),
  text.map((each): MessagePart => ({ type: 'reasoning', text: each, ms: 0 })),
);

const chats: fc.Arbitrary<StoredChat> = fc
  .record({
    title: text.map((each) => each.replace(/\s+/g, ' ').slice(0, 50).trim()),
    system: fc.option(text),
    turns: fc.array(fc.tuple(text, fc.array(part, { minLength: 1, maxLength: 3 })), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ title, system, turns }) => {
    const messages: ChatMessage[] = [];
    for (const [question, parts] of turns) {
      const shared = { created_at: 1_700_000_000_000, edited_at: null };
      const asked = `q${messages.length}`;
      const parent_id = messages.at(-1)?.id ?? null;
      messages.push({
        ...shared,
        id: asked,
        parent_id,
        role: 'user',
        text: question,
        attachments: [],
      });
      messages.push({
        ...{
          ...shared,
          id: `a${messages.length}`,
          parent_id: asked,
          role: 'assistant',
          model: 'guide',
        },
        ...{ parts, status: 'complete', failure: null, measure: null },
      });
    }
    return {
      ...{
        id: 'chat_1',
        title,
        title_by: 'person',
        folder_id: null,
        pinned: false,
        archived: false,
      },
      ...{ created_at: 1_700_000_000_000, updated_at: 1_700_000_000_001, model: 'guide' },
      ...{
        settings: { ...NO_CHAT_SETTINGS, system_prompt: system },
        draft: '',
        draft_attachments: [],
      },
      ...{ leaf_id: messages.at(-1)?.id ?? null, messages },
    };
  });

const told = (messages: readonly ChatMessage[], leaf: string | null) =>
  pathTo(messages, leaf).map((message) =>
    message.role === 'user'
      ? message.text
      : {
          parts: message.parts.map((each) => [each.type, textOfParts([each]) || each]),
          model: message.model,
        },
  );

describe('an export of ours', () => {
  test('as JSON comes back as it was', () => {
    fc.assert(
      fc.property(chats, (chat) => {
        const back = ownChat(JSON.parse(JSON.stringify(exportedChat(chat))), []);
        expect(back.messages).toEqual(chat.messages);
        expect(back).toMatchObject({
          title: chat.title,
          leafId: chat.leaf_id,
          updatedAt: chat.updated_at,
        });
        expect(back.settings).toEqual(chat.settings);
      }),
    );
  });

  test('as Markdown comes back with every word of the branch that is shown', () => {
    fc.assert(
      fc.property(chats, (chat) => {
        const back = markdownChat(markdownOf(chat), 0);
        expect(told(back.messages, back.leafId)).toEqual(told(chat.messages, chat.leaf_id));
        expect(back.settings.system_prompt ?? null).toBe(chat.settings.system_prompt);
        expect(back).toMatchObject({ title: chat.title, createdAt: chat.created_at });
      }),
      { numRuns: 300 },
    );
  });

  test('refuses messages that are no tree', () => {
    const message = {
      id: 'a',
      parent_id: 'gone',
      created_at: 1,
      edited_at: null,
      role: 'user',
      text: '',
      attachments: [],
    };
    const broken = { ...exportedChat(fc.sample(chats, 1)[0] as StoredChat), messages: [message] };
    expect(() => ownChat(broken, [])).toThrow('follows none');
  });
});

test('names of files are taken by every system', () => {
  expect(fileName('a/b\\c: "d"?\n')).toBe('a b c d');
  expect(fileName('..')).toBe('Chat');
  expect(fileName('CON')).toBe('Chat CON');
  expect(fileName('')).toBe('Chat');
  expect(Array.from(fileName('日'.repeat(300))).length).toBe(60);
});
