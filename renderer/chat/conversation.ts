/**
 * The conversation as pure data: turns of one question and one answer, and how each event changes them. Ids, times
 * and network are the business of session.ts.
 */
import type { Measure, Progress } from '../api/chat-chunk.js';

/** Why an answer failed, in words. */
export interface Failure {
  title: string;
  message: string;
  /** What helps: the same again, a new chat, or a key. */
  remedy: 'retry' | 'new-chat' | 'key';
}

/** `running` until exactly one of the others; `length`: cut off at a limit of tokens. */
type AnswerStatus = 'running' | 'complete' | 'length' | 'stopped' | 'failed';

export interface Answer {
  id: string;
  /** Id of the model that was asked. */
  model: string;
  text: string;
  reasoning: string;
  /** Milliseconds from the first piece of reasoning to the first piece of the answer; null while it lasts. */
  reasoningMs: number | null;
  /** Set while the server has not begun to answer. */
  progress: Progress | null;
  status: AnswerStatus;
  failure: Failure | null;
  measure: Measure;
}

export interface Turn {
  id: string;
  question: string;
  answer: Answer;
}

export interface Conversation {
  turns: readonly Turn[];
  /** `performance.now()` of the running answer's first reasoning; null when it has none yet. */
  reasoningSince: number | null;
}

export type ConversationAction =
  | { type: 'ask'; turnId: string; answerId: string; question: string; model: string }
  /** Asks the last question again, or another one in its place. */
  | { type: 'ask-again'; answerId: string; question?: string; model: string }
  | { type: 'progress'; answerId: string; progress: Progress }
  /** `at` is `performance.now()`. */
  | { type: 'delta'; answerId: string; content: string; reasoning: string; at: number }
  | { type: 'measure'; answerId: string; measure: Partial<Measure> }
  | { type: 'end'; answerId: string; status: 'complete' | 'length' | 'stopped'; at: number }
  | { type: 'fail'; answerId: string; failure: Failure; at: number }
  | { type: 'replace'; turns: readonly Turn[] };

export const emptyConversation: Conversation = { turns: [], reasoningSince: null };

/** The last answer while it is being written, else null. */
export function runningAnswer(conversation: Conversation): Answer | null {
  const answer = conversation.turns.at(-1)?.answer;
  return answer?.status === 'running' ? answer : null;
}

/** The next conversation. An event of an answer that has ended or was replaced changes nothing. */
export function reduce(conversation: Conversation, action: ConversationAction): Conversation {
  switch (action.type) {
    case 'ask': {
      if (runningAnswer(conversation)) return conversation;
      const { turnId: id, question } = action;
      const turn = { id, question, answer: newAnswer(action.answerId, action.model) };
      return { turns: [...conversation.turns, turn], reasoningSince: null };
    }
    case 'ask-again': {
      const last = conversation.turns.at(-1);
      if (!last || runningAnswer(conversation)) return conversation;
      const question = action.question ?? last.question;
      const turn = { id: last.id, question, answer: newAnswer(action.answerId, action.model) };
      return { turns: [...conversation.turns.slice(0, -1), turn], reasoningSince: null };
    }
    case 'replace':
      return { turns: action.turns, reasoningSince: null };
    default: {
      const last = conversation.turns.at(-1);
      const answer = runningAnswer(conversation);
      if (!last || !answer || answer.id !== action.answerId) return conversation;
      const { reasoningSince } = conversation;
      const began =
        action.type === 'delta' && action.reasoning !== '' && answer.reasoning === ''
          ? action.at
          : reasoningSince;
      const turn = { ...last, answer: reduceAnswer(answer, action, began) };
      return { turns: [...conversation.turns.slice(0, -1), turn], reasoningSince: began };
    }
  }
}

type AnswerAction = Extract<
  ConversationAction,
  { type: 'progress' | 'delta' | 'measure' | 'end' | 'fail' }
>;

function reduceAnswer(answer: Answer, action: AnswerAction, since: number | null): Answer {
  switch (action.type) {
    case 'progress':
      return answer.text === '' && answer.reasoning === ''
        ? { ...answer, progress: action.progress }
        : answer;
    case 'delta':
      return {
        ...answer,
        text: answer.text + action.content,
        reasoning: answer.reasoning + action.reasoning,
        reasoningMs:
          action.content === '' ? answer.reasoningMs : reasoningMs(answer, since, action.at),
        progress: null,
      };
    case 'measure':
      return { ...answer, measure: { ...answer.measure, ...action.measure } };
    case 'end':
    case 'fail':
      return {
        ...answer,
        reasoningMs: reasoningMs(answer, since, action.at),
        progress: null,
        status: action.type === 'fail' ? 'failed' : action.status,
        failure: action.type === 'fail' ? action.failure : null,
      };
  }
}

function reasoningMs(answer: Answer, since: number | null, now: number): number | null {
  return answer.reasoningMs ?? (since === null ? null : now - since);
}

function newAnswer(id: string, model: string): Answer {
  return {
    id,
    model,
    text: '',
    reasoning: '',
    reasoningMs: null,
    progress: null,
    status: 'running',
    failure: null,
    measure: { tokensPerSecond: null, firstTokenMs: null, tokens: null },
  };
}
