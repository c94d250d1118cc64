/** The conversation as clients send it → as a chat template takes it. */
import type { ChatMessage, ContentPart } from '../../protocol/engine.js';
import type { WireChatMessage } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';
import { isImagePart, misplacedImage, readDataUrl, toContent } from '../request/images.js';

export interface Conversation {
  messages: ChatMessage[];
  /** The last message is the beginning of the assistant's turn. */
  continueFinalMessage: boolean;
}

/**
 * System and developer messages are merged in order into one first system message, since templates allow a system
 * message only there. Parts of text are joined with a line break, but for those beside an image.
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
        turns.push({ role: 'user', content: toContent(partsOf(message, at)) });
        break;
      case 'assistant':
        turns.push(assistantTurn(message, at));
        break;
      case 'tool':
      case 'function':
        turns.push(toolResult(message, at));
        break;
    }
  });
  const first: ChatMessage[] =
    system.length > 0 ? [{ role: 'system', content: system.join('\n\n') }] : [];
  return {
    messages: [...first, ...turns],
    continueFinalMessage: isBegun(wire.at(-1)),
  };
}

/** A turn with calls in it is complete; what is missing are their results. */
function isBegun(last: WireChatMessage | undefined): boolean {
  return last?.role === 'assistant' && (last.tool_calls?.length ?? 0) === 0;
}

function assistantTurn(message: WireChatMessage, at: string): ChatMessage {
  if ((message.function_call ?? null) !== null) {
    throw invalidRequest(
      'function_call is what tool_calls replaced: use tool_calls.',
      `${at}.function_call`,
      'unsupported_parameter',
    );
  }
  const calls = message.tool_calls ?? [];
  const says = message.content != null && message.content.length > 0;
  return {
    role: 'assistant',
    content: calls.length > 0 && !says ? '' : textOf(message, at),
    ...(message.reasoning_content ? { reasoningContent: message.reasoning_content } : {}),
    ...(calls.length > 0
      ? { toolCalls: calls.map(({ id, function: called }) => ({ id, ...pick(called) })) }
      : {}),
  };
}

function pick({ name, arguments: text }: { name: string; arguments: string }) {
  return { name, arguments: text };
}

/** The older role "function" names its function and has no call id. */
function toolResult(message: WireChatMessage, at: string): ChatMessage {
  const { tool_call_id: id, name } = message;
  if (message.role === 'tool' && !id) {
    throw invalidRequest(
      `${at}.tool_call_id is missing: the id of the call that this answers is needed.`,
      `${at}.tool_call_id`,
      'missing_parameter',
    );
  }
  return {
    role: 'tool',
    content: textOf(message, at),
    ...(id ? { toolCallId: id } : {}),
    ...(name ? { name } : {}),
  };
}

function textOf(message: WireChatMessage, at: string): string {
  return partsOf(message, at)
    .map((part) => {
      if (part.type === 'text') return part.text;
      throw misplacedImage(part.place ?? { part: at, value: at });
    })
    .join('\n');
}

function partsOf(message: WireChatMessage, at: string): ContentPart[] {
  const { content } = message;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!content || content.length === 0) {
    throw invalidRequest(
      `${at}.content must be a string or a list of parts; received ${content ? 'an empty list' : 'nothing'}.`,
      `${at}.content`,
    );
  }
  return content.map((part, i) => readPart(part, `${at}.content[${i}]`));
}

function readPart(part: { type: string; [key: string]: unknown }, at: string): ContentPart {
  if (isImagePart(part)) return part;
  if (part.type === 'image_url') return readImageUrl(part.image_url, at);
  // A refusal part is what an assistant said earlier, in words like any other.
  const key = part.type === 'refusal' ? 'refusal' : 'text';
  if (part.type !== 'text' && part.type !== 'refusal') {
    throw invalidRequest(
      `A part of the type "${part.type.slice(0, 50)}" cannot be used: there are text and image_url.`,
      `${at}.type`,
      'unsupported_content',
    );
  }
  const text = part[key];
  if (typeof text !== 'string') {
    throw invalidRequest(`${at}.${key} must be a string.`, `${at}.${key}`);
  }
  return { type: 'text', text };
}

/** Some clients write the URL itself where an object with it belongs. */
function readImageUrl(image: unknown, at: string): ContentPart {
  const isObject = typeof image === 'object' && image !== null;
  const place = { part: at, value: `${at}.image_url${isObject ? '.url' : ''}` };
  return readDataUrl(isObject ? (image as { url?: unknown }).url : image, place);
}
