/** What is kept of one request while the inspector is on: in memory, as much as there is room for. */
import type { EngineEvent, ShownPrompt } from '../../protocol/engine.js';
import type { InspectedRequest, KeptRequest, LiveRequest, Part } from '../../protocol/inspector.js';
import type { Exchange, ExchangeEnd, ExchangeHead } from '../exchange/exchange.js';
import type { GenerationInput } from '../generation/generation.js';
import { wireTimings } from '../openai/wire-values.js';
import { understoodParameters } from './parameters.js';
import { Timeline } from './timeline.js';

/** Of a capture without its texts: its timeline above all. */
export const BASE_BYTES = 32 * 1024;

/** A string in memory has up to two bytes a character. */
const CHARACTER_BYTES = 2;
const PROMPT_ID_BYTES = 4;

/** What a token of an answer takes beside its characters: its id, and its place in a text that grows. */
const TOKEN_BYTES = 80;

/** Longest refusal that is kept, in bytes: they are sentences. */
const REFUSAL_MAX = 16 * 1024;

interface Answer {
  text: string;
  tokenIds: number[];
}

export class Capture {
  readonly head: ExchangeHead;
  /** Null once it has ended: it holds the request with its body. */
  #exchange: Exchange | null;
  #model: string | null = null;
  #ignored: readonly string[] = [];
  #body: Buffer | null = null;
  /** JSON text. */
  #parameters: string | null = null;
  #hasTokenIds = false;
  readonly #prompts = new Map<number, ShownPrompt>();
  #choices = 0;
  readonly #answers = new Map<number, Answer>();
  /** Bytes of an answer without a token, which may turn out to be a refusal; null: it is none. */
  #refusal: Buffer | null = Buffer.alloc(0);
  readonly #timeline = new Timeline();
  readonly #leftOut = new Set<Part>();
  #errorMessage: string | null = null;
  #end: ExchangeEnd | null = null;
  #bytes = BASE_BYTES;

  constructor(
    exchange: Exchange,
    /** Id of the request that it runs again. */
    readonly replayOf: string | null,
    /** Whether there is room for so many bytes more; where there is, they are taken. */
    private readonly take: (bytes: number) => boolean,
  ) {
    this.head = exchange.head;
    this.#exchange = exchange;
  }

  /** How much memory it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Null until the request is understood. */
  get model(): string | null {
    return this.#model;
  }

  /** Null once it has ended. */
  get exchange(): Exchange | null {
    return this.#exchange;
  }

  /** The request as it was sent, as JSON text; null: it is no JSON, or there was no room for it. */
  get body(): string | null {
    return this.#body?.toString() ?? null;
  }

  opened(inputs: readonly GenerationInput[]): void {
    this.#keepBody();
    this.#model = this.#exchange?.model ?? null;
    this.#ignored = this.#exchange?.ignored ?? [];
    const [input] = inputs;
    if (!input) return;
    this.#choices = inputs.length * input.choices;
    this.#hasTokenIds = input.prompt.kind === 'tokens';
    const parameters = JSON.stringify(understoodParameters(input));
    if (this.#keep('parameters', parameters.length * CHARACTER_BYTES)) {
      this.#parameters = parameters;
    }
  }

  stepped(events: readonly EngineEvent[]): void {
    let tokens = 0;
    for (const event of events) {
      switch (event.type) {
        case 'accepted':
          if (event.prompt) this.#keepPrompt(event.seq, event.prompt);
          break;
        case 'token':
          tokens++;
          this.#keepToken(event.seq, event.text, event.tokenId);
          break;
        case 'error':
          this.#errorMessage = event.message;
          break;
      }
    }
    if (tokens === 0) return;
    this.#refusal = null;
    this.#timeline.sampled(this.#ageMs, tokens);
  }

  sent(bytes: Uint8Array): void {
    this.#timeline.sent(this.#ageMs, bytes.length);
    if (this.#refusal === null) return;
    const told = Buffer.concat([this.#refusal, bytes]);
    this.#refusal = told.length > REFUSAL_MAX ? null : told;
  }

  ended(end: ExchangeEnd): void {
    this.#keepBody();
    this.#exchange = null;
    this.#end = end;
    const isRefusal = this.#refusal !== null && end.status >= 400;
    if (!isRefusal || !this.#keep('refusal', this.#refusal?.length ?? 0)) this.#refusal = null;
  }

  summary(): KeptRequest {
    if (this.#end === null) throw new TypeError('this request has not ended');
    return {
      ...wireHead(this.head, this.#model),
      ...wireEnd(this.#end),
      replay_of: this.replayOf,
    };
  }

  /** @param live What the list says of it; null: it has ended. */
  detail(live: LiveRequest | null): InspectedRequest {
    const end = this.#end;
    return {
      ...wireHead(this.head, this.#model),
      replay_of: this.replayOf,
      live,
      end: end && {
        ...wireEnd(end),
        error_message: this.#errorMessage,
        timings: end.timings && wireTimings(end.timings),
      },
      ignored: [...this.#ignored],
      parameters: this.#parameters === null ? null : JSON.parse(this.#parameters),
      body: this.#body === null ? null : JSON.parse(this.#body.toString()),
      // They are accepted in no particular order.
      prompts: [...this.#prompts]
        .sort(([a], [b]) => a - b)
        .map(([, { text, tokenIds }]) => ({
          text: this.#hasTokenIds ? null : text,
          token_ids: [...tokenIds],
        })),
      answers: Array.from({ length: this.#choices }, (_, choice) => {
        const { text, tokenIds } = this.#answers.get(choice) ?? { text: '', tokenIds: [] };
        return { text, token_ids: tokenIds };
      }),
      refusal: end === null ? null : (this.#refusal?.toString() ?? null),
      timeline: [...this.#timeline.entries],
      left_out: [...this.#leftOut],
    };
  }

  get #ageMs(): number {
    return this.#exchange?.ageMs ?? 0;
  }

  /** As soon as it has been parsed; a body that is no JSON is not kept. */
  #keepBody(): void {
    if (this.#body !== null || this.#leftOut.has('body')) return;
    const value = this.#exchange?.body();
    if (value === undefined || Buffer.isBuffer(value)) return;
    const body = Buffer.from(JSON.stringify(value));
    if (this.#keep('body', body.length)) this.#body = body;
  }

  #keepPrompt(choice: number, prompt: ShownPrompt): void {
    const { text, tokenIds } = prompt;
    const bytes = text.length * CHARACTER_BYTES + tokenIds.length * PROMPT_ID_BYTES;
    // What comes from an engine may be a view on the whole message.
    if (this.#keep('prompts', bytes))
      this.#prompts.set(choice, { text, tokenIds: tokenIds.slice() });
  }

  #keepToken(choice: number, text: string, tokenId: number): void {
    if (!this.#keep('answers', text.length * CHARACTER_BYTES + TOKEN_BYTES)) return;
    let answer = this.#answers.get(choice);
    if (!answer) {
      answer = { text: '', tokenIds: [] };
      this.#answers.set(choice, answer);
    }
    answer.text += text;
    answer.tokenIds.push(tokenId);
  }

  /** A part of which something had no room stays as it is: an answer never has a hole. */
  #keep(part: Part, bytes: number): boolean {
    if (this.#leftOut.has(part)) return false;
    if (this.take(bytes)) {
      this.#bytes += bytes;
      return true;
    }
    this.#leftOut.add(part);
    return false;
  }
}

/** Who asked what, when. */
export function wireHead(head: ExchangeHead, model: string | null) {
  return {
    id: head.id,
    request_id: head.requestId,
    client: head.client,
    is_owner: head.isOwner,
    route: head.route,
    model,
    began_at: head.beganAt,
  };
}

function wireEnd(end: ExchangeEnd) {
  return {
    status: end.status,
    complete: end.complete,
    finish_reason: end.finishReason,
    error_code: end.errorCode,
    prompt_tokens: end.promptTokens,
    cached_tokens: end.cachedTokens,
    output_tokens: end.outputTokens,
    total_ms: Math.round(end.totalMs * 1000) / 1000,
    tokens_per_s: end.timings === null ? 0 : wireTimings(end.timings).tokens_per_s,
  };
}
