/** An answer as it grows: pieces of text and reasoning → parts in the order in which they came. Pure. */
import type { ChatEvent, MessagePart } from '../../protocol/chats.js';
import { createId } from '../http/ids.js';
import { endedCall, type ToolCall } from './tool-calls.js';

export type DeltaEvent = Extract<ChatEvent, { type: 'delta' }>;

type Kind = DeltaEvent['kind'];

export class AnswerParts {
  /** When the last part of reasoning began; null: there is none that lasts. */
  #since: number | null = null;

  /** @param parts Those that are there already are gone on with. */
  constructor(
    private readonly messageId: string,
    readonly parts: MessagePart[] = [],
  ) {}

  get isEmpty(): boolean {
    return this.parts.every((part) => part.type !== 'tool_call' && part.text === '');
  }

  /**
   * Takes the next piece.
   * @param at Milliseconds of a monotonic clock.
   * @returns what is to be told of it; null: it is empty.
   */
  push(kind: Kind, text: string, at: number): DeltaEvent | null {
    if (text === '') return null;
    let part = this.parts.at(-1);
    if (part?.type !== kind) {
      this.endReasoning(at);
      part = kind === 'text' ? { type: kind, text: '' } : { type: kind, text: '', ms: null };
      this.parts.push(part);
    }
    if (kind === 'reasoning') this.#since ??= at;
    part.text += text;
    return {
      type: 'delta',
      message_id: this.messageId,
      part: this.parts.length - 1,
      kind,
      text,
    };
  }

  /** A call begins. @param wanted An id, which becomes another one where the answer has it already. */
  beginCall(step: number, wanted: string, at: number): ToolCall {
    this.endReasoning(at);
    const isFree =
      wanted !== '' &&
      wanted.length <= 64 &&
      !this.parts.some((part) => part.type === 'tool_call' && part.id === wanted);
    const call: ToolCall = {
      ...{ type: 'tool_call', id: isFree ? wanted : createId('call_'), step, server: '', tool: '' },
      ...{ arguments: '', state: 'writing', result: null, reason: null, ms: null },
    };
    this.parts.push(call);
    return call;
  }

  /** Those of the latest step that nobody has run. */
  openCalls(): ToolCall[] {
    return this.parts.filter(
      (part): part is ToolCall => part.type === 'tool_call' && part.state === 'writing',
    );
  }

  /** The number of the next step of calls. */
  get nextStep(): number {
    const steps = this.parts.map((part) => (part.type === 'tool_call' ? part.step : -1));
    return Math.max(-1, ...steps) + 1;
  }

  /** What nobody goes on with ends. */
  endCalls(): void {
    for (const [i, part] of this.parts.entries()) {
      if (part.type === 'tool_call') this.parts[i] = endedCall(part);
    }
  }

  /** Its time is over: text follows, or nothing more. @returns whether there was some. */
  endReasoning(at: number): boolean {
    const part = this.parts.at(-1);
    if (part?.type !== 'reasoning' || this.#since === null) return false;
    part.ms = (part.ms ?? 0) + Math.round(at - this.#since);
    this.#since = null;
    return true;
  }
}
