/** The events of a message → named server-sent events. Pure. */
import type { MessageEvent } from '../../protocol/anthropic.js';
import type { EngineEvent } from '../../protocol/engine.js';
import { type GenerationError, toGenerationError } from '../generation/generation.js';
import type { StreamEncoder } from '../http/generation-response.js';
import type { Payload } from '../http/response-stream.js';
import { toAnthropicError, toMessageError } from './dialect.js';
import type { MessageEvents } from './message-events.js';

export class MessageEncoder implements StreamEncoder {
  constructor(
    private readonly events: MessageEvents,
    private readonly requestId: string,
  ) {}

  begin(promptTokens: number): Payload[] {
    return this.events.begin(promptTokens).map(toPayload);
  }

  /** The payloads for one batch, in order. After `done`, or an `error`, the stream is complete. */
  encode(batch: readonly EngineEvent[]): Payload[] {
    return batch.flatMap((event) =>
      event.type === 'error'
        ? this.encodeError(toGenerationError(event))
        : this.events.next(event).map(toPayload),
    );
  }

  encodeError(error: GenerationError): Payload[] {
    const body = toAnthropicError(toMessageError(error), this.requestId);
    return [{ event: 'error', data: JSON.stringify(body) }];
  }
}

function toPayload(event: MessageEvent): Payload {
  return { event: event.type, data: JSON.stringify(event) };
}
