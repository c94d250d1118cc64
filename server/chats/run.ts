/** One answer while it runs: what its parts share. */
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { AnswerMeasure, AnswerMessage, ChatMessage } from '../../protocol/chats.js';
import { createId } from '../http/ids.js';
import { AnswerParts } from './answer-parts.js';
import { NO_TOOLS, type Tools } from './prompt.js';
import type { ToolCall } from './tool-calls.js';

export interface StartedAnswer {
  chatId: string;
  /** Running. Grows in place. */
  answer: AnswerMessage;
  settings: ChatSettings;
  /** See prompt.ts. */
  branch: readonly ChatMessage[];
}

/** An answer that is being made, or that could not be written yet. */
export interface Run extends StartedAnswer {
  parts: AnswerParts;
  tools: Tools;
  /** Of the step under way, by their places in the model's output. */
  calls: Map<number, ToolCall>;
  requestId: string;
  abort: AbortController;
  /** What it ends as where it is aborted. */
  abortedAs: 'stopped' | 'interrupted';
  /** Of earlier runs, where it goes on. */
  before: AnswerMeasure | null;
  /** Pieces of text that have come, and when the first and the last one did, on a monotonic clock. */
  pieces: number;
  startedAt: number;
  firstAt: number | null;
  lastAt: number;
  rateToldAt: number;
  isOver: boolean;
  /** Its request is under way. */
  isAsking: boolean;
  done: Promise<void>;
}

export function newRun(started: StartedAnswer): Run {
  const { answer } = started;
  return {
    ...started,
    parts: new AnswerParts(answer.id, answer.parts),
    ...{ tools: NO_TOOLS, calls: new Map() },
    requestId: createId('chat_'),
    abort: new AbortController(),
    abortedAs: 'stopped',
    before: answer.measure,
    ...{ pieces: 0, startedAt: performance.now(), firstAt: null, lastAt: 0, rateToldAt: 0 },
    ...{ isOver: false, isAsking: false, done: Promise.resolve() },
  };
}
