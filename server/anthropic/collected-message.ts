/** The events of a message → the whole message, as the official clients join a stream. Pure. */
import type { ContentBlock, Message, MessageEvent } from '../../protocol/anthropic.js';
import { beginningOf } from './partial-json.js';

export class CollectedMessage {
  private message: Message | null = null;
  /** JSON texts of tool inputs, by the index of their block. */
  private readonly inputs = new Map<number, string>();

  push(event: MessageEvent): void {
    if (event.type === 'message_start') {
      this.message = { ...event.message, content: [], usage: { ...event.message.usage } };
      return;
    }
    const message = this.whole();
    switch (event.type) {
      case 'content_block_start':
        message.content.push({ ...event.content_block });
        break;
      case 'content_block_delta':
        this.extend(message.content[event.index], event.index, event.delta);
        break;
      case 'content_block_stop': {
        const block = message.content[event.index];
        if (block?.type !== 'tool_use') break;
        block.input = beginningOf(this.inputs.get(event.index) ?? '');
        break;
      }
      case 'message_delta': {
        const { stop_reason, stop_sequence } = event.delta;
        Object.assign(message, { stop_reason, stop_sequence });
        Object.assign(message.usage, event.usage);
        break;
      }
      case 'ping':
      case 'message_stop':
        break;
    }
  }

  /** @throws TypeError before its `message_start`. */
  whole(): Message {
    if (this.message === null) throw new TypeError('expected the message to have started');
    return this.message;
  }

  private extend(
    block: ContentBlock | undefined,
    index: number,
    delta: Extract<MessageEvent, { type: 'content_block_delta' }>['delta'],
  ): void {
    if (delta.type === 'input_json_delta') {
      this.inputs.set(index, (this.inputs.get(index) ?? '') + delta.partial_json);
    } else if (delta.type === 'text_delta' && block?.type === 'text') {
      block.text += delta.text;
    } else if (delta.type === 'thinking_delta' && block?.type === 'thinking') {
      block.thinking += delta.thinking;
    } else if (delta.type === 'signature_delta' && block?.type === 'thinking') {
      block.signature = delta.signature;
    }
  }
}
