import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, test } from 'vitest';
import yazl from 'yazl';
import { pathTo } from '../chats/tree.js';
import { type ImportedChat, textOfParts } from './imported.js';
import { type ReadChat, readChats } from './read-chats.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function fileWith(content: string | Buffer, name: string): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-transfer-'));
  folders.push(folder);
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}

async function archiveOf(files: Record<string, string>): Promise<string> {
  const target = await fileWith('', 'export.zip');
  const zip = new yazl.ZipFile();
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(target));
  return target;
}

async function all(file: string): Promise<ReadChat[]> {
  const read: ReadChat[] = [];
  for await (const each of readChats(file, path.basename(file))) read.push(each);
  return read;
}

async function chatsIn(file: string): Promise<ImportedChat[]> {
  return (await all(file)).map((read) => {
    if (read.kind === 'refused') throw new Error(read.refused.reason);
    return read.chat;
  });
}

/** The branch that is shown, as "role: text". */
function shown({ messages, leafId }: ImportedChat): string[] {
  return pathTo(messages, leafId).map((message) =>
    message.role === 'user' ? `user: ${message.text}` : `answer: ${textOfParts(message.parts)}`,
  );
}

const node = (id: string, parent: string | null, message: object | null) => ({
  [id]: { id, parent, message },
});
const said = (role: string, text: string, more: object = {}) => ({
  author: { role },
  create_time: 1_700_000_000.5,
  content: { content_type: 'text', parts: [text] },
  ...more,
});

const CHATGPT = {
  title: 'A trip to Rome',
  conversation_id: 'conv-1',
  create_time: 1_700_000_000,
  update_time: 1_700_000_100,
  is_archived: true,
  current_node: 'answer-2',
  mapping: {
    ...node('root', null, null),
    ...node('system', 'root', said('system', 'hidden')),
    ...node('question', 'system', said('user', 'Where shall I go? 🛵')),
    ...node(
      'answer-1',
      'question',
      said('assistant', 'To Milan.', { metadata: { model_slug: 'gpt-4o' } }),
    ),
    ...node('thoughts', 'question', {
      author: { role: 'assistant' },
      content: {
        content_type: 'thoughts',
        thoughts: [{ summary: 'Plan', content: 'Rome is warm.' }],
      },
    }),
    ...node('call', 'thoughts', {
      author: { role: 'assistant' },
      content: { content_type: 'code', language: 'python', text: 'print("``` in code")' },
    }),
    ...node('output', 'call', {
      author: { role: 'tool' },
      content: { content_type: 'execution_output', text: 'Roma' },
    }),
    ...node(
      'answer-2',
      'output',
      said('assistant', 'To Rome.', { metadata: { model_slug: 'o3' } }),
    ),
    ...node('picture', 'answer-2', {
      author: { role: 'user' },
      content: {
        content_type: 'multimodal_text',
        parts: [{ content_type: 'image_asset_pointer' }, 'Look'],
      },
    }),
  },
};

describe('an export of ChatGPT', () => {
  test('is a chat with its branches, thoughts and code', async () => {
    const [chat] = await chatsIn(await fileWith(JSON.stringify([CHATGPT]), 'conversations.json'));
    expect(chat).toMatchObject({
      ...{ source: 'chatgpt:conv-1', title: 'A trip to Rome', archived: true, left: 1 },
      ...{ createdAt: 1_700_000_000_000, updatedAt: 1_700_000_100_000 },
    });
    if (!chat) return;
    const [question, answer] = shown(chat);
    expect(question).toBe('user: Where shall I go? 🛵');
    expect(answer).toContain('To Rome.');
    expect(answer).toContain('````python\nprint("``` in code")\n````');
    const answers = chat.messages.filter((message) => message.role === 'assistant');
    expect(answers.map(({ model }) => model)).toEqual(['gpt-4o', 'o3']);
    expect(answers[1]?.parts[0]).toEqual({
      type: 'reasoning',
      text: 'Plan\n\nRome is warm.',
      ms: 0,
    });
    expect(new Set(answers.map(({ parent_id }) => parent_id))).toEqual(new Set(['question']));
    expect(chat.messages.at(-1)).toMatchObject({
      ...{ role: 'user', text: 'Look' },
      parent_id: answers[1]?.id,
    });
  });

  test('comes in its archive, beside files of other kinds', async () => {
    const file = await archiveOf({
      'user.json': '{"id":"user"}',
      'chat.html': '<html>',
      'conversations.json': JSON.stringify([CHATGPT, { ...CHATGPT, conversation_id: 'conv-2' }]),
    });
    expect((await chatsIn(file)).map(({ source }) => source)).toEqual([
      'chatgpt:conv-1',
      'chatgpt:conv-2',
    ]);
  });

  test('a conversation of 20,000 messages in a row is read without running out of stack', async () => {
    const mapping: Record<string, object> = {};
    for (let i = 0; i < 20_000; i++) {
      const message = said(i % 2 === 0 ? 'user' : 'assistant', `${i}`);
      Object.assign(mapping, node(`n${i}`, i === 0 ? null : `n${i - 1}`, message));
    }
    const [chat] = await chatsIn(
      await fileWith(JSON.stringify([{ ...CHATGPT, mapping, current_node: null }]), 'a.json'),
    );
    expect(chat?.messages.length).toBe(20_000);
  });

  test('one broken conversation does not take the others with it', async () => {
    const broken = { title: 'Broken', mapping: { a: 5 } };
    const read = await all(await fileWith(JSON.stringify([broken, CHATGPT]), 'conversations.json'));
    expect(read.map(({ kind }) => kind)).toEqual(['refused', 'chat']);
  });
});

describe('a conversation of LM Studio', () => {
  const LM_STUDIO = {
    name: 'Rome',
    pinned: true,
    createdAt: 1_720_000_000_000,
    systemPrompt: 'Be brief.',
    messages: [
      {
        versions: [
          {
            type: 'singleStep',
            role: 'user',
            content: [{ type: 'text', text: 'Where?' }, { type: 'file' }],
          },
        ],
        currentlySelected: 0,
      },
      {
        versions: [
          {
            type: 'multiStep',
            role: 'assistant',
            steps: [{ type: 'contentBlock', content: [{ type: 'text', text: 'Milan.' }] }],
          },
          {
            type: 'multiStep',
            role: 'assistant',
            steps: [
              {
                type: 'contentBlock',
                style: { type: 'thinking' },
                content: [{ type: 'text', text: 'Warm…' }],
              },
              {
                type: 'contentBlock',
                genInfo: { identifier: 'qwen3' },
                content: [{ type: 'text', text: 'Rome.' }],
              },
              { type: 'debugInfoBlock' },
            ],
          },
        ],
        currentlySelected: 1,
      },
    ],
  };

  test('is a chat with its versions as branches', async () => {
    const file = await fileWith(JSON.stringify(LM_STUDIO), '1720000000000.conversation.json');
    const [chat] = await chatsIn(file);
    expect(chat).toMatchObject({
      ...{
        source: 'lm-studio:1720000000000.conversation.json',
        title: 'Rome',
        pinned: true,
        left: 1,
      },
      settings: { system_prompt: 'Be brief.' },
    });
    if (!chat) return;
    expect(shown(chat)).toEqual(['user: Where?', 'answer: Rome.']);
    const answers = chat.messages.filter((message) => message.role === 'assistant');
    expect(answers.map(({ parts }) => textOfParts(parts))).toEqual(['Milan.', 'Rome.']);
    expect(answers[1]).toMatchObject({
      model: 'qwen3',
      parts: [{ type: 'reasoning' }, { type: 'text' }],
    });
  });
});

describe('an export of Open WebUI', () => {
  const message = (id: string, parentId: string | null, role: string, content: string) => ({
    [id]: {
      id,
      parentId,
      role,
      content,
      timestamp: 1_710_000_000,
      model: role === 'user' ? undefined : 'llama3',
    },
  });

  test('is a chat with its branches and its reasoning', async () => {
    const thought =
      '<details type="reasoning" done="true" duration="2">\n<summary>Thought for 2 seconds</summary>\n&gt; Warm…\n</details>\nRome.';
    const value = [
      {
        id: 'w1',
        title: 'Rome',
        updated_at: 1_710_000_050,
        created_at: 1_710_000_000,
        pinned: true,
        chat: {
          title: 'Rome',
          params: { system: 'Be brief.' },
          history: {
            currentId: 'c',
            messages: {
              ...message('a', null, 'user', 'Where?'),
              ...message('b', 'a', 'assistant', 'Milan.'),
              ...message('c', 'a', 'assistant', thought),
            },
          },
        },
      },
      {
        id: 'w2',
        title: 'Old',
        chat: {
          messages: [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: 'Hello' },
          ],
        },
      },
    ];
    const [first, second] = await chatsIn(
      await fileWith(JSON.stringify(value), 'chat-export.json'),
    );
    if (!first || !second) throw new Error('there are two');
    expect(first).toMatchObject({ pinned: true, settings: { system_prompt: 'Be brief.' } });
    expect(shown(first)).toEqual(['user: Where?', 'answer: Rome.']);
    expect(first.messages.find(({ id }) => id === 'c')).toMatchObject({
      parts: [
        { type: 'reasoning', text: 'Warm…' },
        { type: 'text', text: 'Rome.' },
      ],
    });
    expect(shown(second)).toEqual(['user: Hi', 'answer: Hello']);
  });
});

describe('what is no such file', () => {
  test.each([
    ['', /holds no chats/],
    ['hello', /holds no chats/],
    ['{"a":1}', /holds no chats/],
    ['[1, 2, 3]', /holds no chats/],
    ['{"a":', /no whole JSON/],
    ['[{"mapping":{}}, {"mapping"', /cut off/],
    ['[{"mapping":{}}, nonsense]', /no whole JSON/],
    ['PK\u0003\u0004 and no more', /damaged/],
  ])('%j is refused in words', async (content, words) => {
    await expect(all(await fileWith(content, 'file.json'))).rejects.toThrow(words);
  });

  test.each([
    ['[', ']'],
    ['{"format":"pilotlight.chats","version":1,"folders":[],"chats":[', ']}'],
  ])('%s with no end of anything else is given up', async (start, end) => {
    const file = await fileWith(`${start}${'1,'.repeat(50_000)}1${end}`, 'file.json');
    await expect(all(file)).rejects.toThrow(/10000 things in a row/);
  });

  test('a file that begins with a byte order mark is read all the same', async () => {
    const file = await fileWith(`\uFEFF${JSON.stringify([CHATGPT])}`, 'conversations.json');
    expect((await chatsIn(file)).length).toBe(1);
  });
});
