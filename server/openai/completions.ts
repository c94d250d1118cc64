/** POST /v1/completions: goes on with plain text, or with token ids; one or several prompts. */
import type { Request, Response } from 'express';
import type { Completion, CompletionChunk } from '../../protocol/completions.js';
import type { EngineEvent } from '../../protocol/engine.js';
import { GenerationError, toGenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import {
  collectGeneration,
  type StreamEncoder,
  streamGeneration,
} from '../http/generation-response.js';
import { createId } from '../http/ids.js';
import { openGenerations } from '../request/generation.js';
import type { Services } from '../services.js';
import { DONE, encodeStreamError } from './chunks.js';
import { parseCompletionRequest } from './completion-request.js';
import { TextChoice } from './text-choice.js';
import { type DoneEvent, endsOf, wireFinishReason, wireTimings, wireUsage } from './wire-values.js';

interface Head {
  id: string;
  object: 'text_completion';
  created: number;
  model: string;
}

export function completions(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseCompletionRequest(req.body);
    const model = services.current.resolve(request.model);
    const { inputs, ignored } = request;
    const { generation, gone } = openGenerations(services, res, model, inputs, ignored);
    const head: Head = {
      id: createId('cmpl-'),
      object: 'text_completion',
      created: Math.floor(Date.now() / 1000),
      model: model.id,
    };
    const choices = request.echoes.flatMap((echo) =>
      Array.from({ length: request.choices }, () => new TextChoice(echo)),
    );
    try {
      if (request.stream) {
        const encoder = new TextChunkEncoder(head, choices, request);
        await streamGeneration(req, res, generation, encoder, gone);
        return;
      }
      const answers = choices.map((text) => ({ text, done: null as DoneEvent | null }));
      await collectGeneration(res, generation, (event) => {
        const answer = answers[event.seq];
        if (event.type === 'token') answer?.text.push(event);
        else if (event.type === 'done' && answer) answer.done = event;
      });
      if (gone.aborted) return;
      const ends = endsOf(answers);
      const answer: Completion = {
        ...head,
        choices: ends.map((done, index) => ({
          ...(choices[index] as TextChoice).take(),
          index,
          finish_reason: wireFinishReason(done.finishReason),
        })),
        usage: wireUsage(ends, request.choices),
        timings: wireTimings(ends[0].timings),
      };
      res.json(answer);
    } catch (error) {
      throw error instanceof GenerationError ? fromGenerationError(error, 'prompt') : error;
    }
  };
}

/** Engine events → chunks. Pure. A token whose text is held back comes with the next text, or with the end. */
export class TextChunkEncoder implements StreamEncoder {
  private readonly done: DoneEvent[] = [];
  private readonly usage: { usage?: null };

  constructor(
    private readonly head: Head,
    private readonly choices: readonly TextChoice[],
    private readonly options: { includeUsage: boolean; choices: number },
  ) {
    this.usage = options.includeUsage ? { usage: null } : {};
  }

  encode(events: readonly EngineEvent[]): string[] {
    const payloads: string[] = [];
    for (const event of events) {
      const choice = this.choices[event.seq];
      if (event.type === 'token' && choice) {
        choice.push(event);
        if (choice.hasText) payloads.push(this.chunk(event.seq, choice, null));
      } else if (event.type === 'done' && choice) {
        payloads.push(this.chunk(event.seq, choice, event));
        this.done.push(event);
        if (this.done.length === this.choices.length) payloads.push(...this.end());
      } else if (event.type === 'error') {
        payloads.push(...this.encodeError(toGenerationError(event)));
      }
    }
    return payloads;
  }

  encodeError(error: GenerationError): string[] {
    return [encodeStreamError(error)];
  }

  private chunk(index: number, choice: TextChoice, done: DoneEvent | null): string {
    const reason = done === null ? null : wireFinishReason(done.finishReason);
    const chunk: CompletionChunk = {
      ...this.head,
      choices: [{ ...choice.take(), index, finish_reason: reason }],
      ...this.usage,
      ...(done === null ? {} : { timings: wireTimings(done.timings) }),
    };
    return JSON.stringify(chunk);
  }

  private end(): string[] {
    if (!this.options.includeUsage) return [DONE];
    const usage = wireUsage(this.done, this.options.choices);
    return [JSON.stringify({ ...this.head, choices: [], usage }), DONE];
  }
}
