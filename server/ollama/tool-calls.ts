/** Pieces of tool calls → whole calls, since this API has no pieces. Pure. */
import type { ToolCallDelta } from '../../protocol/engine.js';
import type { OllamaAnswerMessage } from '../../protocol/ollama.js';

export type OllamaToolCall = NonNullable<OllamaAnswerMessage['tool_calls']>[number];

export class ToolCalls {
  private open: { index: number; name: string; text: string } | null = null;

  /** Takes the next pieces, and gives the calls that they complete: a call is whole once another one begins. */
  push(pieces: readonly ToolCallDelta[]): OllamaToolCall[] {
    const whole: OllamaToolCall[] = [];
    for (const { index, name, arguments: text } of pieces) {
      if (this.open?.index !== index) {
        whole.push(...this.take());
        this.open = { index, name: name ?? '', text: '' };
      }
      this.open.text += text;
    }
    return whole;
  }

  /** The last call, at the end of the answer. One that a limit of tokens cut off is not given: it has no arguments yet. */
  take(): OllamaToolCall[] {
    const { open } = this;
    this.open = null;
    const given = open === null ? null : toObject(open.text);
    return open === null || given === null
      ? []
      : [{ function: { name: open.name, arguments: given } }];
  }
}

/** Null where it is not a whole object. */
function toObject(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
