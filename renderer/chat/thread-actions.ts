import { createContext } from 'react';
import type { ChatMessage } from '../../protocol/chats.js';
import type { ToolDecision } from '../../protocol/mcp.js';

/** A message whose words are being changed, and what they are by now. */
export interface Editing {
  id: string;
  text: string;
}

/** What can be done with messages. */
export interface ThreadActions {
  /** Answers a question once more, with this model or, without one, the chat's. */
  onAskAgain: (question: string, model?: string) => void;
  /** Lets an answer that ended before its end go on. */
  onContinue: (answer: string) => void;
  /** Ends this answer; others that are written beside it go on. */
  onStop: (answer: string) => void;
  /** Begins, changes or ends the change of a message's words. */
  onEditing: (editing: Editing | null) => void;
  /** A question is asked anew with other words; an answer's words are changed in place. */
  onEdited: (message: ChatMessage, text: string) => void;
  /** The person's word on a call of a tool that waits for it. Gives whether it worked. */
  onDecide: (answer: string, call: string, decision: ToolDecision['decision']) => Promise<boolean>;
  onDelete: (message: string) => void;
  /** Shows the branch through this message. */
  onBranch: (message: string) => void;
  onCopyChat: () => void;
  /** Asks in a chat of its own what this answer was asked. */
  onNewChat: (answer: string) => void;
  onModels: () => void;
}

const nothing = () => {};

/** Keeps its identity, so that messages that are as they were are not drawn again. */
export const Actions = createContext<ThreadActions>({
  onAskAgain: nothing,
  onContinue: nothing,
  onStop: nothing,
  onEditing: nothing,
  onEdited: nothing,
  onDecide: async () => false,
  onDelete: nothing,
  onBranch: nothing,
  onCopyChat: nothing,
  onNewChat: nothing,
  onModels: nothing,
});
