import { useEffect, useRef, useState } from 'react';
import type { AnswerMessage, ChatProgress } from '../../protocol/chats.js';
import type { OpenChat } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { spoken } from './spoken.js';
import { textOf } from './thread.js';

interface AnnouncerProps {
  /** Null before it is there. */
  chat: OpenChat | null;
  /** Whether it was begun in this window: all that is in it is news. */
  begun: boolean;
  /** The last one that is shown. */
  answer: AnswerMessage | null;
  progress: ChatProgress | null;
  modelName: string;
}

/** Lines that stay in the page: a screen reader has long taken what is older. */
const KEPT = 8;

/**
 * Tells a screen reader, in sentences and not word by word, how an answer comes: what it waits for, what it says, that it
 * has been stopped. A failure speaks for itself: its card is an alert.
 */
export function Announcer({ chat, begun, answer, progress, modelName }: AnnouncerProps) {
  const [lines, setLines] = useState<readonly { key: number; text: string }[]>([]);
  const count = useRef(0);
  const told = useRef<{ id: string; about: string; spoken: number } | null>(null);
  /** Messages that were there when the chat was opened, and answers that have been told. */
  const known = useRef<{ chat: string; ids: Set<string> } | null>(null);
  useEffect(() => {
    const say = (text: string) => {
      if (text.trim() === '') return;
      count.current += 1;
      const line = { key: count.current, text };
      setLines((before) => [...before.slice(1 - KEPT), line]);
    };
    if (!chat) return;
    if (known.current?.chat !== chat.id) {
      known.current = { chat: chat.id, ids: new Set(begun ? [] : chat.messages.keys()) };
    }
    if (!answer) return;
    const running = answer.status === 'running';
    // A quick answer has ended before it is seen to run.
    const isNews = running || !known.current.ids.has(answer.id);
    if (isNews && told.current?.id !== answer.id) {
      known.current.ids.add(answer.id);
      told.current = { id: answer.id, about: '', spoken: 0 };
      say(t('chat.answering'));
    }
    const now = told.current;
    if (now?.id !== answer.id) return;
    const about = running ? stateWords(answer, progress, modelName) : '';
    if (about !== now.about) {
      now.about = about;
      say(about);
    }
    const all = spoken(textOf(answer), !running);
    const text = all.slice(now.spoken).trim();
    now.spoken = all.length;
    if (answer.status === 'stopped') say(t('chat.said_and_stopped', { text }).trim());
    else say(text);
    if (!running) told.current = null;
  }, [chat, begun, answer, progress, modelName]);
  return (
    <div className="hidden-visually" role="log" aria-label={t('chat.announced')} aria-live="polite">
      {lines.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}

/** What an answer waits for; '': nothing that is worth a word. Without shares, which change all the time. */
function stateWords(
  { parts }: AnswerMessage,
  progress: ChatProgress | null,
  model: string,
): string {
  const waiting = parts.find((part) => part.type === 'tool_call' && part.state === 'waiting');
  if (waiting?.type === 'tool_call') return t('tools.call_waiting', { tool: waiting.tool });
  switch (progress?.stage) {
    case 'loading':
      return t('chat.loading_model', { model });
    case 'memory':
      return t('chat.waiting_memory');
    case 'queued':
      return t('chat.queued', { ahead: progress.ahead });
    default:
      return '';
  }
}
