/** Engine events of one choice → the whole answer. Pure. */
import type { EngineEvent } from '../../protocol/engine.js';
import type {
  ChatCompletionChoice,
  WireTokenLogprob,
  WireToolCall,
} from '../../protocol/openai.js';
import { type DoneEvent, wireFinishReason, wireLogprob } from './wire-values.js';

export class Answer {
  private content = '';
  private reasoning = '';
  private readonly toolCalls: WireToolCall[] = [];
  private readonly logprobs: WireTokenLogprob[] = [];
  private end: DoneEvent | null = null;

  /** Null while the choice goes on. */
  get done(): DoneEvent | null {
    return this.end;
  }

  /** Takes the choice's next event; errors are the caller's business. */
  push(event: EngineEvent): void {
    switch (event.type) {
      case 'token':
        if (event.logprobs) this.logprobs.push(wireLogprob(event.logprobs));
        break;
      case 'delta':
        this.content += event.content;
        this.reasoning += event.reasoning;
        for (const { index, id, name, arguments: text } of event.toolCalls) {
          this.toolCalls[index] ??= {
            id: id ?? '',
            type: 'function',
            function: { name: name ?? '', arguments: '' },
          };
          this.toolCalls[index].function.arguments += text;
        }
        break;
      case 'done':
        this.end = event;
        break;
      case 'accepted':
      case 'progress':
      case 'error':
        break;
    }
  }

  /** @throws TypeError before its `done`. */
  choice(index: number): ChatCompletionChoice {
    if (this.end === null) throw new TypeError('expected the answer to have ended');
    const hasCalls = this.toolCalls.length > 0;
    return {
      index,
      message: {
        role: 'assistant',
        content: hasCalls && this.content === '' ? null : this.content,
        refusal: null,
        ...(this.reasoning === '' ? {} : { reasoning_content: this.reasoning }),
        ...(hasCalls ? { tool_calls: this.toolCalls } : {}),
      },
      logprobs: this.logprobs.length > 0 ? { content: this.logprobs, refusal: null } : null,
      finish_reason: wireFinishReason(this.end.finishReason),
    };
  }
}
