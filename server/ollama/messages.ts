/** Messages as Ollama's clients send them → as the OpenAI dialect has them, which knows the rest. Pure. */
import type { OllamaMessage } from '../../protocol/ollama.js';
import type { WireChatMessage } from '../../protocol/openai.js';
import { type ImagePart, misplacedImage, readBase64 } from '../request/images.js';

/** A call that waits for its result. */
interface OpenCall {
  id: string;
  name: string;
}

/**
 * Calls and results have no ids here, and templates may need them: each call gets one by its place, always the same
 * one, and each result that of the oldest open call of its tool.
 * @throws ApiError 400 with the message's place in `param`.
 */
export function toWireMessages(messages: readonly OllamaMessage[]): WireChatMessage[] {
  let open: OpenCall[] = [];
  let calls = 0;
  return messages.map((message, i) => {
    const { role, content, thinking } = message;
    const images = readImages(message.images, `messages[${i}].images`);
    if (role === 'tool') {
      const [first] = images;
      if (first?.place !== undefined) throw misplacedImage(first.place);
      return toolResult(message, open);
    }
    const toolCalls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
      id: id || callId(calls++),
      type: 'function' as const,
      function: { name: called.name, arguments: JSON.stringify(called.arguments ?? {}) },
    }));
    if (toolCalls.length > 0)
      open = toolCalls.map((call) => ({ ...call, name: call.function.name }));
    return {
      role,
      content: images.length === 0 ? (content ?? '') : withImages(content ?? '', images),
      ...(thinking ? { reasoning_content: thinking } : {}),
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    };
  });
}

/** @throws ApiError 400 where one is no base64. */
export function readImages(
  images: readonly unknown[] | null | undefined,
  param: string,
): ImagePart[] {
  return (images ?? []).map((image, i) => {
    const at = `${param}[${i}]`;
    return readBase64(image, { part: at, value: at });
  });
}

/** Ollama has images before the text. */
export function withImages(text: string, images: readonly ImagePart[]): WireChatMessage['content'] {
  return [...images.map((image) => ({ ...image })), { type: 'text', text }];
}

function toolResult(
  { content, tool_name: name, tool_call_id: given }: OllamaMessage,
  open: OpenCall[],
): WireChatMessage {
  const same = open.findIndex((call) => (given ? call.id === given : call.name === name));
  const [call] = open.splice(Math.max(0, same), 1);
  return {
    role: 'tool',
    content: content ?? '',
    tool_call_id: given || call?.id || callId(0),
    ...((name ?? call?.name) ? { name: name ?? call?.name } : {}),
  };
}

/** Nine letters and digits, which the strictest templates ask for. */
function callId(index: number): string {
  return `call${String(index).padStart(5, '0')}`;
}
