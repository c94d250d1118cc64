/** Chats that somebody might have, for pictures: as an export of Pilotlight, which comes in like any other. */

import { NO_CHAT_SETTINGS } from '../protocol/chat-settings.js';
import type { ChatMessage, MessagePart } from '../protocol/chats.js';
import { type ChatExport, EXPORT_VERSION, type ExportedChat } from '../protocol/transfer.js';
import { BAKERY_NAMES, BREAD, GREENHOUSE, PHOTOS, SAVINGS, SHORT_NAMES } from './screen-texts.js';

const DAY_MS = 86_400_000;
const MODEL = 'qwen3-8b';
const SMALL_MODEL = 'gemma-3-4b';

/** Midnight in UTC, which is the window's time in pictures: what was said then was said today at any hour. */
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;

const text = (words: string): MessagePart => ({ type: 'text', text: words });

function question(id: string, words: string, parent: string | null): ChatMessage {
  const shape = { id, parent_id: parent, created_at: today, edited_at: null };
  return { ...shape, role: 'user', text: words, attachments: [] };
}

interface AnswerOptions {
  model?: string;
  tokens?: number;
  failure?: string;
  /** Milliseconds after the question. */
  later?: number;
}

function answer(
  id: string,
  parent: string,
  parts: MessagePart[],
  { model = MODEL, tokens = 214, failure, later = 0 }: AnswerOptions = {},
): ChatMessage {
  return {
    ...{ id, parent_id: parent, created_at: today + later, edited_at: null },
    ...{ role: 'assistant', model, parts, status: failure ? 'failed' : 'complete' },
    failure: failure ? { code: failure, message: '', retry_after: null } : null,
    measure: failure
      ? null
      : {
          ...{ prompt_tokens: 86, cached_tokens: 41, output_tokens: tokens },
          ...{ ttft_ms: 240, total_ms: 4_900, tokens_per_s: 46.3, context_size: 8_192 },
        },
  };
}

interface ChatOptions {
  daysAgo?: number;
  folder?: string;
  pinned?: boolean;
  archived?: boolean;
  messages?: ChatMessage[];
}

function chat(id: string, title: string, options: ChatOptions = {}): ExportedChat {
  const { daysAgo = 0, folder = null, pinned = false, archived = false } = options;
  const at = today - daysAgo * DAY_MS;
  const messages = options.messages ?? [
    question(`${id}-q`, title, null),
    answer(`${id}-a`, `${id}-q`, [text('With pleasure.')]),
  ];
  return {
    ...{ id, title, title_by: 'model', folder_id: folder, pinned, archived },
    ...{ created_at: at, updated_at: at, model: MODEL, settings: NO_CHAT_SETTINGS, draft: '' },
    ...{ leaf_id: messages.at(-1)?.id ?? null, messages },
  };
}

const savings = chat('savings', 'Saving 200 € a month', {
  messages: [
    question('s1', SAVINGS.question, null),
    answer('s2', 's1', [
      { type: 'reasoning', text: SAVINGS.reasoning, ms: 3_400 },
      text(SAVINGS.answer),
    ]),
  ],
});

const photos = chat('photos', 'Sorting photos by month', {
  messages: [
    question('p1', PHOTOS.question, null),
    answer('p2', 'p1', [text(PHOTOS.answer)], { tokens: 268 }),
    question('p3', PHOTOS.further, 'p2'),
    answer('p4', 'p3', [text(PHOTOS.first)]),
    answer('p5', 'p3', [text(PHOTOS.second)], { tokens: 93, later: 60_000 }),
  ],
});

const bread = chat('bread', 'Why the bread stays flat', {
  folder: 'kitchen',
  messages: [
    question('b1', BREAD.question, null),
    answer('b2', 'b1', [text(BREAD.answer)]),
    question('b3', BREAD.further, 'b2'),
    answer('b4', 'b3', [], { failure: 'out_of_memory' }),
  ],
});

const bakery = chat('bakery', 'Names for a bakery', {
  messages: [
    question('n1', BAKERY_NAMES.question, null),
    answer('n2', 'n1', [text(BAKERY_NAMES.answer)], { tokens: 121 }),
    answer('n3', 'n1', [text(SHORT_NAMES)], { model: SMALL_MODEL, tokens: 58 }),
  ],
});

const greenhouse = chat('greenhouse', 'A greenhouse on the balcony', {
  daysAgo: 1,
  messages: [
    question('g1', GREENHOUSE.question, null),
    answer('g2', 'g1', [text(GREENHOUSE.answer)], { tokens: 143 }),
  ],
});

export const SCREEN_CHATS: ChatExport = {
  format: 'pilotlight.chats',
  version: EXPORT_VERSION,
  exported_at: today,
  folders: [
    { id: 'kitchen', name: 'Kitchen', position: 0 },
    { id: 'work', name: 'Work', position: 1 },
  ],
  chats: [
    chat('week', 'Plan for the week', { pinned: true }),
    chat('spanish', 'Spanish, ten minutes a day', { pinned: true, daysAgo: 2 }),
    bread,
    chat('soup', 'Tomato soup for eight', { folder: 'kitchen', daysAgo: 3 }),
    chat('minutes', 'Minutes of the Tuesday meeting', { folder: 'work' }),
    chat('letter', 'A friendlier reminder of the unpaid invoice', { folder: 'work', daysAgo: 1 }),
    savings,
    photos,
    bakery,
    greenhouse,
    chat('moon', 'Why the moon looks larger at the horizon', { daysAgo: 1 }),
    chat('bike', 'Bicycle brakes that squeak', { daysAgo: 4 }),
    chat('regex', 'A regular expression for dates', { daysAgo: 5 }),
    chat('trip', 'Four days on the Baltic coast', { daysAgo: 20 }),
    chat('speech', 'A short speech for the anniversary', { daysAgo: 40, archived: true }),
    chat('lease', 'Questions about the lease', { daysAgo: 44, archived: true }),
  ],
};
