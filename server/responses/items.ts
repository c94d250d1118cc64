/**
 * `input` as clients send it → items as they are kept and listed: complete, and each with an id. What cannot be read is
 * refused with its place.
 */
import type { z } from 'zod';
import type { ConversationItem, OutputText } from '../../protocol/response-object.js';
import {
  functionCallItemSchema,
  functionCallOutputItemSchema,
  itemReferenceSchema,
  messageItemSchema,
  reasoningItemSchema,
} from '../../protocol/responses.js';
import { invalidRequest } from '../http/errors.js';
import { createId } from '../http/ids.js';
import { readDataUrl } from '../request/images.js';

/** An item, or the id of one that is kept. */
export type InputItem = ConversationItem | { type: 'item_reference'; id: string };

type InputText = { type: 'input_text'; text: string };
type InputImage = { type: 'input_image'; image_url: string; detail: 'auto' };

/** @throws ApiError 400 with the item's place in `param`. */
export function readItems(input: string | readonly unknown[]): InputItem[] {
  if (typeof input === 'string') return [readMessage({ role: 'user', content: input }, 'input')];
  return input.map((item, i) => readItem(item, `input[${i}]`));
}

function readItem(item: unknown, at: string): InputItem {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw invalidRequest(`${at} must be an item, such as a message with a role.`, at);
  }
  const { type, role } = item as { type?: unknown; role?: unknown };
  switch (type ?? (role === undefined && 'id' in item ? 'item_reference' : 'message')) {
    case 'message':
      return readMessage(item, at);
    case 'function_call': {
      const call = read(functionCallItemSchema, item, at);
      return {
        type: 'function_call',
        id: call.id ?? createId('fc_'),
        call_id: call.call_id,
        name: call.name,
        arguments: call.arguments,
        status: call.status ?? 'completed',
      };
    }
    case 'function_call_output': {
      const { id, call_id, output, status } = read(functionCallOutputItemSchema, item, at);
      return {
        type: 'function_call_output',
        id: id ?? createId('fco_'),
        call_id,
        output: typeof output === 'string' ? output : inputTexts(output, `${at}.output`),
        status: status ?? 'completed',
      };
    }
    case 'reasoning': {
      const { id, summary, content, status } = read(reasoningItemSchema, item, at);
      return {
        type: 'reasoning',
        id: id ?? createId('rs_'),
        summary: (summary ?? []).map(({ text }) => ({ type: 'summary_text', text })),
        content: (content ?? []).map(({ text }) => ({ type: 'reasoning_text', text })),
        status: status ?? 'completed',
      };
    }
    case 'item_reference':
      return { type: 'item_reference', id: read(itemReferenceSchema, item, at).id };
    default:
      throw invalidRequest(
        `Items of the type ${JSON.stringify(type)?.slice(0, 50)} cannot be used: there are messages, function_call, function_call_output, reasoning and item_reference.`,
        `${at}.type`,
        'unsupported_content',
      );
  }
}

function readMessage(item: object, at: string): ConversationItem {
  const { id, role, content, status } = read(messageItemSchema, item, at);
  const shared = {
    type: 'message',
    id: id ?? createId('msg_'),
    status: status ?? 'completed',
  } as const;
  if (role !== 'assistant') {
    if (content.length === 0 && typeof content !== 'string') {
      throw invalidRequest(
        `${at}.content must be a text or a list of at least one part.`,
        `${at}.content`,
      );
    }
    const place = `${at}.content`;
    const parts = role === 'user' ? inputParts(content, place) : inputTexts(content, place);
    return { ...shared, role, content: parts };
  }
  return {
    ...shared,
    role,
    content:
      typeof content === 'string'
        ? [outputText(content)]
        : content.map((part, i) => {
            const place = `${at}.content[${i}]`;
            // What an assistant refused with is words like any other.
            return part.type === 'refusal'
              ? { type: 'refusal', refusal: stringOf(part, 'refusal', place) }
              : outputText(textOf(part, place));
          }),
  };
}

function outputText(text: string): OutputText {
  return { type: 'output_text', text, annotations: [] };
}

type Part = { type: string; [key: string]: unknown };

function inputTexts(content: string | readonly Part[], at: string): InputText[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }];
  return content.map((part, i) => ({ type: 'input_text', text: textOf(part, `${at}[${i}]`) }));
}

function inputParts(content: string | readonly Part[], at: string): (InputText | InputImage)[] {
  if (typeof content === 'string') return inputTexts(content, at);
  return content.map((part, i) => {
    const place = `${at}[${i}]`;
    if (part.type !== 'input_image') return { type: 'input_text', text: textOf(part, place) };
    const { image_url } = part;
    // Read here for its place, and again where it is used, which may be in a later response.
    readDataUrl(image_url, { part: place, value: `${place}.image_url` });
    return { type: 'input_image', image_url: String(image_url), detail: 'auto' };
  });
}

function textOf(part: Part, at: string): string {
  if (!['input_text', 'output_text', 'text'].includes(part.type)) {
    throw invalidRequest(
      part.type === 'input_image'
        ? 'An image can only be part of a user message.'
        : `A part of the type "${part.type.slice(0, 50)}" cannot be used.`,
      `${at}.type`,
      'unsupported_content',
    );
  }
  return stringOf(part, 'text', at);
}

function stringOf(part: Part, key: string, at: string): string {
  const text = part[key];
  if (typeof text === 'string') return text;
  throw invalidRequest(`${at}.${key} must be a string.`, `${at}.${key}`);
}

/** What the fields of items take. */
const EXPECTED: Record<string, string> = {
  type: 'the name of a type of item',
  role: '"user", "assistant", "system" or "developer"',
  content: 'a text or a list of parts with a "type"',
  output: 'a text or a list of parts with a "type"',
  call_id: 'the id of a call, as it was in the item "function_call"',
  name: 'the name of a function',
  arguments: 'JSON as a string',
  summary: 'a list of parts with a "text"',
  id: 'a string of at most 128 characters',
  status: '"in_progress", "completed" or "incomplete"',
};

function read<Schema extends z.ZodType>(schema: Schema, item: object, at: string): z.infer<Schema> {
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  const field = String(parsed.error.issues[0]?.path[0] ?? 'type');
  const param = `${at}.${field}`;
  const expected = EXPECTED[field] ?? 'of another kind';
  if ((item as Record<string, unknown>)[field] === undefined) {
    throw invalidRequest(
      `"${param}" is missing: ${expected} is needed.`,
      param,
      'missing_parameter',
    );
  }
  throw invalidRequest(`${param} must be ${expected}.`, param);
}
