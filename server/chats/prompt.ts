/** What a model is asked: a branch of a chat and its settings → the body of a chat completion. Pure. */
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { AnswerMessage, ChatMessage, MessagePart, UserMessage } from '../../protocol/chats.js';
import { legal } from '../mcp/tool-names.js';
import type { ToolOffer } from '../mcp/tool-servers.js';
import { type AttachedFiles, fencedFiles, NO_FILES, shownPictures } from './attached.js';
import { textOf } from './rows.js';
import { argumentsIn } from './tool-arguments.js';

type ToolCallPart = Extract<MessagePart, { type: 'tool_call' }>;

interface WireCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

type UserPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

type WireMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | UserPart[] }
  | {
      role: 'assistant';
      content: string;
      reasoning_content?: string;
      tool_calls?: WireCall[];
    }
  | { role: 'tool'; tool_call_id: string; content: string };

/** What a model is told of tools. */
export interface Tools {
  /** Those that it may call. */
  offers: readonly ToolOffer[];
  /** False: it knows none, so that not even earlier calls are told to it. */
  areKnown: boolean;
}

export const NO_TOOLS: Tools = { offers: [], areKnown: false };

export interface Asked {
  model: string;
  /** Of this machine. A model of another server gets only what the reference of the API has. */
  isLocal: boolean;
  settings: ChatSettings;
  /** From the first message on. The last one is a question, or an answer that is to be gone on with. */
  branch: readonly ChatMessage[];
  tools: Tools;
  files: AttachedFiles;
}

export function requestBody({ model, isLocal, settings, branch, tools, files }: Asked): object {
  const { sampling, seed, response_schema: schema, thinking } = settings;
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: messagesOf(branch, settings.system_prompt, { tools, isLocal, files }),
    ...sampling,
    ...(tools.offers.length === 0 ? {} : { tools: tools.offers.map(toWireTool) }),
    ...(isLocal ? { priority: 'interactive' } : {}),
    ...(seed === null ? {} : { seed }),
    ...(schema === null ? {} : { response_format: responseFormat(schema) }),
    ...(thinking === false ? { reasoning_effort: 'none' } : {}),
    ...(thinking === true && isLocal ? { chat_template_kwargs: { enable_thinking: true } } : {}),
  };
}

function responseFormat(schema: string): object {
  return {
    type: 'json_schema',
    json_schema: { name: 'answer', schema: JSON.parse(schema) as object, strict: true },
  };
}

function toWireTool({ name, description, schema }: ToolOffer): object {
  return { type: 'function', function: { name, description, parameters: schema } };
}

/**
 * Roles alternate, as some models' templates demand: a question without an answer is joined to the next one. What was
 * thought is not told again, but for what led to calls of the answer that is gone on with.
 * Without a word on the model it is told of no tools, and of files only how they are called.
 * @param isLocal A model of this machine, which may be told what it thought.
 */
export function messagesOf(
  branch: readonly ChatMessage[],
  systemPrompt: string | null,
  {
    tools = NO_TOOLS,
    isLocal = false,
    files = NO_FILES,
  }: Partial<Pick<Asked, 'tools' | 'isLocal' | 'files'>> = {},
): WireMessage[] {
  const messages: WireMessage[] =
    systemPrompt === null ? [] : [{ role: 'system', content: systemPrompt }];
  for (const message of branch) {
    const last = messages.at(-1);
    if (message.role === 'user') {
      const content = contentOf(message, files);
      if (last?.role === 'user') last.content = joined(last.content, content);
      else messages.push({ role: 'user', content });
    } else if (tools.areKnown && message.parts.some(({ type }) => type === 'tool_call')) {
      messages.push(...turnsOf(message, tools, isLocal && message === branch.at(-1)));
    } else {
      const content = textOf(message);
      if (content.trim() !== '') messages.push({ role: 'assistant', content });
    }
  }
  return messages;
}

/** An answer with calls: what was said before each step of them, the calls, and their results. */
function turnsOf({ parts }: AnswerMessage, tools: Tools, withReasoning: boolean): WireMessage[] {
  const turns: WireMessage[] = [];
  let said: string[] = [];
  let thought: string[] = [];
  for (let i = 0; i < parts.length; ) {
    const part = parts[i];
    if (part?.type !== 'tool_call') {
      if (part?.type === 'text') said.push(part.text);
      if (part?.type === 'reasoning') thought.push(part.text);
      i += 1;
      continue;
    }
    const calls = parts.slice(i).filter((each) => isOfStep(each, part.step));
    i += calls.length;
    turns.push({
      ...{ role: 'assistant', content: said.join('\n\n') },
      ...(withReasoning && thought.length > 0 ? { reasoning_content: thought.join('\n\n') } : {}),
      tool_calls: calls.map((call) => toWireCall(call, tools)),
    });
    for (const call of calls) {
      const content = call.result ?? 'This call was not finished.';
      turns.push({ role: 'tool', tool_call_id: call.id, content });
    }
    said = [];
    thought = [];
  }
  const rest = said.join('\n\n');
  if (rest.trim() !== '') turns.push({ role: 'assistant', content: rest });
  return turns;
}

function isOfStep(part: MessagePart, step: number): part is ToolCallPart {
  return part.type === 'tool_call' && part.step === step;
}

/** Arguments that are none would be refused, and their result says what was wrong. */
function toWireCall(call: ToolCallPart, { offers }: Tools): WireCall {
  const { id, server, tool, arguments: text } = call;
  const offer = offers.find((each) => each.server === server && each.tool === tool);
  const args = argumentsIn(text);
  return {
    ...{ id, type: 'function' },
    function: {
      name: offer?.name ?? legal(tool),
      arguments: args === null ? '{}' : JSON.stringify(args),
    },
  };
}

/** What a question says to the model: its files, then its words, with the pictures before both. */
function contentOf({ text, attachments }: UserMessage, files: AttachedFiles): string | UserPart[] {
  const words = [fencedFiles(attachments, files), text].filter((each) => each !== '').join('\n\n');
  const pictures = shownPictures(attachments, files);
  if (pictures.length === 0) return words;
  return [
    ...pictures.map((url): UserPart => ({ type: 'image_url', image_url: { url } })),
    { type: 'text', text: words },
  ];
}

function joined(before: string | UserPart[], after: string | UserPart[]): string | UserPart[] {
  if (typeof before === 'string' && typeof after === 'string') return `${before}\n\n${after}`;
  return [...partsOf(before), ...partsOf(after)];
}

const partsOf = (content: string | UserPart[]): UserPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;
