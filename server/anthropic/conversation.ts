/** The conversation as clients send it → as a chat template takes it. */
import type { WireBlock, WireMessageParam } from '../../protocol/anthropic.js';
import type { ChatMessage, ContentPart, ToolCall } from '../../protocol/engine.js';
import { type ApiError, invalidRequest } from '../http/errors.js';
import type { Conversation } from '../openai/messages.js';
import { readBase64, readDataUrl, toContent } from '../request/images.js';
import { toEngineId } from './tool-ids.js';

type Content = WireMessageParam['content'];

/**
 * System messages are merged in order into one first system message, since templates allow one only there; turns of one
 * role that follow each other are one turn. An assistant's turn at the end is continued; an empty one begins nothing.
 * @throws ApiError 400 with the block's place in `param`.
 */
export function toConversation(
  system: Content | null | undefined,
  wire: readonly WireMessageParam[],
): Conversation {
  const instructions = system == null ? [] : [textOf(system, 'system')];
  const turns: ChatMessage[] = [];
  /** Names of the tools that were called, by the id of the call. */
  const called = new Map<string, string>();
  wire.forEach(({ role, content }, i) => {
    const at = `messages[${i}].content`;
    switch (role) {
      case 'system':
        instructions.push(textOf(content, at));
        break;
      case 'assistant': {
        const turn = assistantTurn(content, at);
        for (const { id, name } of turn.toolCalls ?? []) called.set(id, name);
        append(turns, turn);
        break;
      }
      case 'user':
        for (const turn of userTurns(content, at, called)) append(turns, turn);
        break;
    }
  });
  const instruction = instructions.filter((text) => text !== '').join('\n\n');
  const first: ChatMessage[] = instruction === '' ? [] : [{ role: 'system', content: instruction }];
  // A turn with calls in it is complete; what is missing are their results.
  let continueFinalMessage = wire.at(-1)?.role === 'assistant' && !turns.at(-1)?.toolCalls;
  const { content, reasoningContent } = turns.at(-1) ?? {};
  if (continueFinalMessage && content === '' && reasoningContent === undefined) {
    turns.pop();
    continueFinalMessage = false;
  }
  return { messages: [...first, ...turns], continueFinalMessage };
}

/** Adds a turn, or makes it part of the one before it where both are of one role. */
function append(turns: ChatMessage[], turn: ChatMessage): void {
  const last = turns.at(-1);
  if (last?.role !== turn.role || turn.role === 'tool') {
    turns.push(turn);
    return;
  }
  last.content = joinedContents(last.content, turn.content);
  const reasoning = joined([last.reasoningContent ?? '', turn.reasoningContent ?? ''], '\n');
  if (reasoning !== '') last.reasoningContent = reasoning;
  const calls = [...(last.toolCalls ?? []), ...(turn.toolCalls ?? [])];
  if (calls.length > 0) last.toolCalls = calls;
}

function joinedContents(a: ChatMessage['content'], b: ChatMessage['content']) {
  if (typeof a === 'string' && typeof b === 'string') return joined([a, b], '\n');
  return [...toParts(a), ...toParts(b)];
}

function toParts(content: ChatMessage['content']): ContentPart[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}

function joined(texts: readonly string[], separator: string): string {
  return texts.filter((text) => text !== '').join(separator);
}

/** Its texts are one text again: nothing but thoughts and calls parted them. */
function assistantTurn(content: Content, at: string): ChatMessage {
  if (typeof content === 'string') return { role: 'assistant', content };
  const texts: string[] = [];
  const thoughts: string[] = [];
  const toolCalls: ToolCall[] = [];
  content.forEach((block, i) => {
    const place = `${at}[${i}]`;
    switch (block.type) {
      case 'text':
        texts.push(stringOf(block, 'text', place));
        break;
      case 'thinking':
        thoughts.push(stringOf(block, 'thinking', place));
        break;
      case 'redacted_thinking':
        // Only the server that wrote it can read it.
        break;
      case 'tool_use':
        toolCalls.push(toolCall(block, place));
        break;
      default:
        throw unreadable(block, place, 'an assistant message');
    }
  });
  const reasoning = joined(thoughts, '\n');
  return {
    role: 'assistant',
    content: texts.join(''),
    ...(reasoning === '' ? {} : { reasoningContent: reasoning }),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
}

function toolCall(block: WireBlock, at: string): ToolCall {
  const { input } = block;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalidRequest(`${at}.input must be an object.`, `${at}.input`);
  }
  return {
    id: toEngineId(nonEmptyOf(block, 'id', at)),
    name: nonEmptyOf(block, 'name', at),
    arguments: JSON.stringify(input),
  };
}

/** Results of tools, which have to follow their calls, then what the person says. */
function userTurns(
  content: Content,
  at: string,
  called: ReadonlyMap<string, string>,
): ChatMessage[] {
  if (typeof content === 'string') return [{ role: 'user', content }];
  const results: ChatMessage[] = [];
  const parts: ContentPart[] = [];
  content.forEach((block, i) => {
    const place = `${at}[${i}]`;
    switch (block.type) {
      case 'text':
        parts.push({ type: 'text', text: stringOf(block, 'text', place) });
        break;
      case 'image':
        parts.push(readImage(block, place));
        break;
      case 'tool_result':
        results.push(toolResult(block, place, called));
        break;
      default:
        throw unreadable(block, place, 'a user message');
    }
  });
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { role: 'user', content: toContent(parts) }];
}

function readImage({ source }: WireBlock, at: string): ContentPart {
  const { type, url, data } = (source ?? {}) as { type?: unknown; url?: unknown; data?: unknown };
  switch (type) {
    case 'base64':
      return readBase64(data, { part: at, value: `${at}.source.data` });
    case 'url':
      return readDataUrl(url, { part: at, value: `${at}.source.url` });
    default:
      throw invalidRequest(
        `${at}.source must be an object with the type "base64", a media_type and data.`,
        `${at}.source`,
        'unsupported_content',
      );
  }
}

function toolResult(
  block: WireBlock,
  at: string,
  called: ReadonlyMap<string, string>,
): ChatMessage {
  const id = nonEmptyOf(block, 'tool_use_id', at);
  const name = called.get(toEngineId(id));
  if (name === undefined) {
    throw invalidRequest(
      `${at}.tool_use_id is "${id.slice(0, 100)}", and no tool_use before it has this id.`,
      `${at}.tool_use_id`,
    );
  }
  const text = resultText(block, at);
  return {
    role: 'tool',
    // Templates know no failed result; words tell the model.
    content: block.is_error === true ? `Error: ${text}` : text,
    toolCallId: toEngineId(id),
    name,
  };
}

function resultText({ content }: WireBlock, at: string): string {
  if (content == null) return '';
  if (typeof content !== 'string' && !isBlockList(content)) {
    throw invalidRequest(
      `${at}.content must be a string or a list of blocks with a "type".`,
      `${at}.content`,
    );
  }
  return textOf(content, `${at}.content`);
}

function isBlockList(value: unknown): value is WireBlock[] {
  return Array.isArray(value) && value.every((block) => typeof block?.type === 'string');
}

/** A text, or blocks of text joined with a line break. */
function textOf(content: Content, at: string): string {
  if (typeof content === 'string') return content;
  const texts = content.map((block, i) => {
    if (block.type !== 'text')
      throw unreadable(block, `${at}[${i}]`, 'a system message or a result');
    return stringOf(block, 'text', `${at}[${i}]`);
  });
  return texts.join('\n');
}

function stringOf(block: WireBlock, key: string, at: string): string {
  const value = block[key];
  if (typeof value === 'string') return value;
  throw invalidRequest(`${at}.${key} must be a string.`, `${at}.${key}`);
}

function nonEmptyOf(block: WireBlock, key: string, at: string): string {
  const value = stringOf(block, key, at);
  if (value !== '') return value;
  throw invalidRequest(`${at}.${key} must not be empty.`, `${at}.${key}`);
}

const ELSEWHERE = new Set([
  'text',
  'image',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
]);

function unreadable({ type }: WireBlock, at: string, where: string): ApiError {
  return invalidRequest(
    ELSEWHERE.has(type)
      ? `A block of the type "${type}" cannot be part of ${where}.`
      : `A block of the type "${type.slice(0, 50)}" cannot be used.`,
    `${at}.type`,
    'unsupported_content',
  );
}
