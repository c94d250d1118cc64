/** Engine events → the events and the answer of POST /v1/generate. Pure. */
import type { EngineEvent } from '../../protocol/engine.js';
import type { GenerateAnswer, GenerateEnd, GenerateEvent } from '../../protocol/generate.js';
import { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import type { StreamEncoder } from '../http/generation-response.js';
import { type DoneEvent, stopOrLength, wireTimings } from '../openai/wire-values.js';

function endOf(done: DoneEvent): GenerateEnd {
  const { drafted_tokens, accepted_tokens, ...timings } = wireTimings(done.timings);
  return {
    finish_reason: stopOrLength(done.finishReason),
    prompt_tokens: done.promptTokens,
    cached_tokens: done.cachedTokens,
    output_tokens: done.outputTokens,
    ...timings,
  };
}

export class GenerateEncoder implements StreamEncoder {
  encode(events: readonly EngineEvent[]): string[] {
    return events.flatMap((event) => {
      switch (event.type) {
        case 'token': {
          const { index, tokenId: token_id, text } = event;
          return payload({ type: 'token', index, token_id, text });
        }
        case 'done':
          return payload({ type: 'done', ...endOf(event) });
        case 'error':
          return this.encodeError(new GenerationError(event.code, event.message));
        default:
          return [];
      }
    });
  }

  encodeError(error: GenerationError): string[] {
    const { code, message } = fromGenerationError(error);
    return payload({ type: 'error', code: code ?? error.code, message });
  }
}

const payload = (event: GenerateEvent): string[] => [JSON.stringify(event)];

/** The whole answer. */
export class GenerateCollector {
  private readonly tokenIds: number[] = [];
  private text = '';
  private done: DoneEvent | null = null;

  /** Takes the next event; errors are the caller's business. */
  push(event: EngineEvent): void {
    if (event.type === 'token') {
      this.tokenIds.push(event.tokenId);
      this.text += event.text;
    } else if (event.type === 'done') {
      this.done = event;
    }
  }

  /** @throws GenerationError before its end. */
  answer(): GenerateAnswer {
    if (this.done === null) {
      throw new GenerationError('engine_failed', 'The answer ended without an end.');
    }
    return { token_ids: this.tokenIds, text: this.text, ...endOf(this.done) };
  }
}
