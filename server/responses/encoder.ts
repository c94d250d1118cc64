/** The stream of a response: its events by name, numbered without gaps. Pure. */
import type { EngineEvent } from '../../protocol/engine.js';
import type { ResponseEvent } from '../../protocol/response-events.js';
import { type GenerationError, toGenerationError } from '../generation/generation.js';
import type { StreamEncoder } from '../http/generation-response.js';
import type { Payload } from '../http/response-stream.js';
import type { ResponseBuilder } from './builder.js';

export class ResponseEncoder implements StreamEncoder {
  private sequenceNumber = 0;

  constructor(
    private readonly builder: ResponseBuilder,
    /** Called when the response has its end, before that is told. */
    private readonly onEnd: () => void,
  ) {}

  begin(): Payload[] {
    return this.payloads(this.builder.begin());
  }

  encode(events: readonly EngineEvent[]): Payload[] {
    return events.flatMap((event) => {
      if (event.type === 'error') {
        return this.encodeError(toGenerationError(event));
      }
      const told = this.builder.push(event);
      if (event.type === 'done') this.onEnd();
      return this.payloads(told);
    });
  }

  /** Also where the prompt was never accepted: a stream begins with its response in any case. */
  encodeError(error: GenerationError): Payload[] {
    const begun = this.sequenceNumber === 0 ? this.begin() : [];
    const told = this.builder.fail(error);
    this.onEnd();
    return [...begun, ...this.payloads(told)];
  }

  private payloads(events: readonly ResponseEvent[]): Payload[] {
    return events.map((event) => toPayload(event, this.sequenceNumber++));
  }
}

/** @param number From 0. */
export function toPayload({ type, ...rest }: ResponseEvent, number: number): Payload {
  return { event: type, data: JSON.stringify({ type, sequence_number: number, ...rest }) };
}
