/** Items of a conversation → messages as a chat template takes them. Pure. */
import type { ChatMessage } from '../../protocol/engine.js';
import type { ConversationItem } from '../../protocol/response-object.js';
import { invalidRequest } from '../http/errors.js';
import type { Conversation } from '../openai/messages.js';
import { readDataUrl, toContent } from '../request/images.js';
import { fromCallId } from './call-ids.js';

type MessageItem = Extract<ConversationItem, { type: 'message' }>;

/**
 * Instructions, then system and developer messages in order, become one first system message, since templates allow
 * one only there. What an assistant reasoned, said and called between two messages of others is one turn. An answer
 * that was cut off and comes last is gone on with.
 * @throws ApiError 400 where there is a result without its call, or nothing to answer.
 */
export function toConversation(
  items: readonly ConversationItem[],
  instructions: string | null,
): Conversation {
  const system: string[] = instructions === null ? [] : [instructions];
  const turns: ChatMessage[] = [];
  const callNames = new Map<string, string>();
  /** The assistant's turn that goes on; null: somebody else has spoken last. */
  let turn: ChatMessage | null = null;
  const assistantTurn = (fresh: boolean): ChatMessage => {
    if (turn === null || fresh) {
      turn = { role: 'assistant', content: '' };
      turns.push(turn);
    }
    return turn;
  };
  for (const item of items) {
    switch (item.type) {
      case 'message':
        if (item.role === 'assistant') {
          const open = assistantTurn(hasSpoken(turn));
          open.content = messageText(item);
          break;
        }
        if (item.role === 'user') {
          turn = null;
          turns.push({ role: 'user', content: userContent(item) });
        } else {
          system.push(messageText(item));
        }
        break;
      case 'reasoning': {
        const open = assistantTurn(hasSpoken(turn) || hasCalled(turn));
        const parts = item.content.length > 0 ? item.content : item.summary;
        const text = parts.map((part) => part.text).join('\n');
        if (text !== '') open.reasoningContent = (open.reasoningContent ?? '') + text;
        break;
      }
      case 'function_call': {
        // Arguments that were cut off are no JSON, and nobody has run the call.
        if (item.status === 'incomplete') break;
        const { call_id, name, arguments: text } = item;
        const id = fromCallId(call_id);
        callNames.set(id, name);
        const open = assistantTurn(false);
        open.toolCalls = [...(open.toolCalls ?? []), { id, name, arguments: text }];
        break;
      }
      case 'function_call_output': {
        const id = fromCallId(item.call_id);
        const name = callNames.get(id);
        if (name === undefined) {
          throw invalidRequest(
            `There is no function_call with the call_id "${item.call_id.slice(0, 100)}" before its output.`,
            'input',
            'no_tool_call',
          );
        }
        turn = null;
        turns.push({ role: 'tool', content: outputText(item), toolCallId: id, name });
        break;
      }
    }
  }
  const first: ChatMessage[] =
    system.length > 0 ? [{ role: 'system', content: system.join('\n\n') }] : [];
  const messages = [
    ...first,
    ...turns.filter((each) => each.role !== 'assistant' || !isEmpty(each)),
  ];
  if (messages.length === 0) {
    throw invalidRequest('input has no message that could be answered.', 'input');
  }
  return {
    messages,
    continueFinalMessage: isCutOff(items.at(-1)) && !hasCalled(messages.at(-1) ?? null),
  };
}

const hasSpoken = (turn: ChatMessage | null) => turn !== null && turn.content !== '';
const hasCalled = (turn: ChatMessage | null) => (turn?.toolCalls?.length ?? 0) > 0;

/** Such as the turn of which only a call was left that was cut off. */
function isEmpty(turn: ChatMessage): boolean {
  return !hasSpoken(turn) && !hasCalled(turn) && turn.reasoningContent === undefined;
}

function isCutOff(last: ConversationItem | undefined): boolean {
  return (
    last?.type === 'message' &&
    last.role === 'assistant' &&
    last.status === 'incomplete' &&
    messageText(last) !== ''
  );
}

function messageText({ content }: MessageItem): string {
  return content.map(partText).join('\n');
}

function partText(part: MessageItem['content'][number]): string {
  switch (part.type) {
    case 'refusal':
      return part.refusal;
    case 'input_image':
      return '';
    default:
      return part.text;
  }
}

/** Where one is in the request that brought it is not known any more. */
function userContent({ content }: MessageItem): ChatMessage['content'] {
  return toContent(
    content.map((part) =>
      part.type === 'input_image'
        ? readDataUrl(part.image_url, { part: 'input', value: 'input' })
        : { type: 'text', text: partText(part) },
    ),
  );
}

function outputText({ output }: Extract<ConversationItem, { type: 'function_call_output' }>) {
  return typeof output === 'string' ? output : output.map(({ text }) => text).join('\n');
}
