import type { ChatRequest } from '../api/chat-completions.js';
import type { Turn } from './conversation.js';

/**
 * The messages that ask for the last turn's answer. Roles alternate, as some models' templates demand: a question
 * without an answer is joined to the next one. Reasoning is not sent back.
 */
export function requestMessages(turns: readonly Turn[]): ChatRequest['messages'] {
  const messages: ChatRequest['messages'] = [];
  let question = '';
  turns.forEach((turn, index) => {
    question = question === '' ? turn.question : `${question}\n\n${turn.question}`;
    const last = index === turns.length - 1;
    if (!last && turn.answer.text.trim() === '') return;
    messages.push({ role: 'user', content: question });
    if (!last) messages.push({ role: 'assistant', content: turn.answer.text });
    question = '';
  });
  return messages;
}
