/**
 * Follows a stream of POST /v1/generate and notes what is against its protocol: tokens with indices from 0 without gaps,
 * then `done`, which counts them, or `error`, once and last. Pure.
 */
import { type GenerateEvent, generateEventSchema } from '../protocol/generate.js';
import type { Counts, Follower, Taken } from './ask.js';
import { misfit, readData } from './event-data.js';
import { printable } from './printable.js';
import { type Violation, type ViolationKind, Violations } from './violation.js';

type Done = Extract<GenerateEvent, { type: 'done' }>;

export class TypedValidator implements Follower {
  counts: Counts | null = null;
  failure: string | null = null;
  private readonly found = new Violations();
  private events = 0;
  private tokens = 0;
  private isDone = false;

  /** @param maxTokens as asked for */
  constructor(private readonly maxTokens: number) {}

  get isComplete(): boolean {
    return this.isDone || this.failure !== null;
  }

  violations(): Violation[] {
    return this.found.list();
  }

  take(data: string): Taken {
    const wasComplete = this.isComplete;
    const taken = this.read(data);
    if (wasComplete) this.note('after_end', printable(data));
    this.events++;
    return taken;
  }

  end(): void {
    if (!this.isComplete) this.note('end_missing', `the last event is number ${this.events - 1}`);
  }

  private read(data: string): Taken {
    const read = readData(data);
    if (read.problem !== null) return this.note(read.problem, read.shown);
    const { data: event, error } = generateEventSchema.safeParse(read.value);
    if (error) return this.note('bad_shape', misfit(error));
    switch (event.type) {
      case 'token':
        if (event.index !== this.tokens) {
          this.note('index_gap', `index ${event.index} for token number ${this.tokens}`);
        }
        this.tokens++;
        return 'output';
      case 'done':
        this.isDone = true;
        this.count(event);
        return 'end';
      case 'error':
        this.failure = `${event.code}: ${event.message}`;
        return 'end';
    }
  }

  private count({ prompt_tokens, cached_tokens, output_tokens }: Done): void {
    this.counts = { prompt: prompt_tokens, output: output_tokens, cached: cached_tokens };
    const wrong = [
      ...(output_tokens === this.tokens ? [] : [`${this.tokens} tokens came`]),
      ...(output_tokens <= this.maxTokens ? [] : [`${this.maxTokens} were the most`]),
      ...(cached_tokens <= prompt_tokens ? [] : ['more cached than prompt tokens']),
    ];
    if (wrong.length === 0) return;
    this.note('count_wrong', `output_tokens is ${output_tokens}, but ${wrong.join(', ')}`);
  }

  private note(kind: ViolationKind, detail: string): 'other' {
    this.found.add(kind, this.events, detail);
    return 'other';
  }
}
