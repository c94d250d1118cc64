/** Messages and chats for tests. */
import { NO_CHAT_SETTINGS } from '../../protocol/chat-settings.js';
import type {
  AnswerMessage,
  Chat,
  ChatMessage,
  ChatSummary,
  UserMessage,
} from '../../protocol/chats.js';

export function question(id: string, parent_id: string | null, text = id): UserMessage {
  return { id, parent_id, created_at: 0, edited_at: null, role: 'user', text, attachments: [] };
}

export function answer(
  id: string,
  parent_id: string | null,
  change: Partial<AnswerMessage> = {},
): AnswerMessage {
  return {
    id,
    parent_id,
    created_at: 0,
    edited_at: null,
    role: 'assistant',
    model: 'guide',
    parts: [{ type: 'text', text: id }],
    status: 'complete',
    failure: null,
    measure: null,
    ...change,
  };
}

export const summary: ChatSummary = {
  id: 'c',
  title: '',
  title_by: null,
  folder_id: null,
  pinned: false,
  archived: false,
  created_at: 0,
  updated_at: 0,
  model: null,
  answering: false,
};

export function chatOf(messages: ChatMessage[], leaf_id: string | null): Chat {
  return {
    ...summary,
    settings: NO_CHAT_SETTINGS,
    draft: '',
    draft_attachments: [],
    leaf_id,
    messages,
  };
}
