/** What is known of one choice of /v1/completions while it goes on: its text so far and its log probabilities. Pure. */
import type { CompletionLogprobs } from '../../protocol/completions.js';
import type { EngineEvent } from '../../protocol/engine.js';
import { wireLogprob } from './wire-values.js';

type TokenEvent = Extract<EngineEvent, { type: 'token' }>;

const nothing = (): CompletionLogprobs => ({
  tokens: [],
  token_logprobs: [],
  top_logprobs: [],
  text_offset: [],
});

export class TextChoice {
  private length: number;
  private text = '';
  private logprobs = nothing();

  /** @param echo Comes before the answer and counts in the offsets. */
  constructor(echo: string) {
    this.text = echo;
    this.length = echo.length;
  }

  push({ text, logprobs }: TokenEvent): void {
    if (logprobs) {
      const { token, logprob, top_logprobs } = wireLogprob(logprobs);
      this.logprobs.tokens.push(token);
      this.logprobs.token_logprobs.push(logprob);
      this.logprobs.top_logprobs.push(
        Object.fromEntries(top_logprobs.map((top) => [top.token, top.logprob])),
      );
      this.logprobs.text_offset.push(this.length);
    }
    this.text += text;
    this.length += text.length;
  }

  get hasText(): boolean {
    return this.text !== '';
  }

  /** Takes out what has come since the last time. */
  take(): { text: string; logprobs: CompletionLogprobs | null } {
    const { text, logprobs } = this;
    this.text = '';
    this.logprobs = nothing();
    return { text, logprobs: logprobs.tokens.length > 0 ? logprobs : null };
  }
}
