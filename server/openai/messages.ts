/** The conversation as clients send it → as a chat template takes it. */
import type { ChatMessage } from '../../protocol/engine.js';
import type { WireChatMessage } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';

export interface Conversation {
  messages: ChatMessage[];
  /** The last message is the beginning of the assistant's turn. */
  continueFinalMessage: boolean;
}

/**
 * System and developer messages are merged in order into one first system message, since templates allow a system
 * message only there. Parts of text are joined with a line break.
 * @throws ApiError 400 with the message's place in `param`.
 */
export function toConversation(wire: readonly WireChatMessage[]): Conversation {
  const system: string[] = [];
  const turns: ChatMessage[] = [];
  wire.forEach((message, i) => {
    const at = `messages[${i}]`;
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(textOf(message, at));
        break;
      case 'user':
        turns.push({ role: 'user', content: textOf(message, at) });
        break;
      case 'assistant':
        turns.push(assistantTurn(message, at));
        break;
      case 'tool':
      case 'function':
        throw invalidRequest(
          `Messages with the role "${message.role}" are not available in this version of Pilotlight: it does not call tools.`,
          `${at}.role`,
          'unsupported_parameter',
        );
    }
  });
  const first: ChatMessage[] =
    system.length > 0 ? [{ role: 'system', content: system.join('\n\n') }] : [];
  return {
    messages: [...first, ...turns],
    continueFinalMessage: wire.at(-1)?.role === 'assistant',
  };
}

function assistantTurn(message: WireChatMessage, at: string): ChatMessage {
  const functionCall = message.function_call ?? null;
  if ((message.tool_calls?.length ?? 0) > 0 || functionCall !== null) {
    throw invalidRequest(
      'Tool calls in messages are not available in this version of Pilotlight.',
      functionCall === null ? `${at}.tool_calls` : `${at}.function_call`,
      'unsupported_parameter',
    );
  }
  const turn: ChatMessage = { role: 'assistant', content: textOf(message, at) };
  return message.reasoning_content
    ? { ...turn, reasoningContent: message.reasoning_content }
    : turn;
}

function textOf(message: WireChatMessage, at: string): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!content || content.length === 0) {
    throw invalidRequest(
      `${at}.content must be a string or a list of text parts; received ${content ? 'an empty list' : 'nothing'}.`,
      `${at}.content`,
    );
  }
  return content.map((part, i) => partText(part, `${at}.content[${i}]`)).join('\n');
}

function partText(part: { type: string; [key: string]: unknown }, at: string): string {
  // A refusal part is what an assistant said earlier, in words like any other.
  const key = part.type === 'refusal' ? 'refusal' : 'text';
  if (part.type !== 'text' && part.type !== 'refusal') {
    throw invalidRequest(
      `This version of Pilotlight reads text only: a part of the type "${part.type.slice(0, 50)}" cannot be used.`,
      `${at}.type`,
      'unsupported_content',
    );
  }
  const text = part[key];
  if (typeof text !== 'string') {
    throw invalidRequest(`${at}.${key} must be a string.`, `${at}.${key}`);
  }
  return text;
}
