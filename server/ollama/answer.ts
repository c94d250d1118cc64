/** Engine events → Ollama's objects, as lines of a stream or as one. Pure: no socket, no clock. */
import type { EngineEvent } from '../../protocol/engine.js';
import type { OllamaChatChunk, OllamaGenerateChunk } from '../../protocol/ollama.js';
import { GenerationError, toGenerationError } from '../generation/generation.js';
import type { StreamEncoder } from '../http/generation-response.js';
import { type DoneEvent, wireLogprob } from '../openai/wire-values.js';
import { toMetrics } from './metrics.js';
import { type OllamaToolCall, ToolCalls } from './tool-calls.js';

/** What one object says of the answer. */
interface Piece {
  content: string;
  thinking: string;
  toolCalls: OllamaToolCall[];
}

/** The form that a route gives a piece. */
export type Shape = (
  piece: Piece,
) => Pick<OllamaChatChunk, 'message'> | Pick<OllamaGenerateChunk, 'response'>;

export const chatShape: Shape = ({ content, thinking, toolCalls }) => ({
  message: {
    role: 'assistant',
    content,
    ...(thinking === '' ? {} : { thinking }),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  },
});

/** Without tools in its request a generation has no calls. */
export const generateShape: Shape = ({ content, thinking }) => ({
  response: content,
  ...(thinking === '' ? {} : { thinking }),
});

export interface AnswerHeader {
  /** The name that the client asked for. */
  model: string;
  shape: Shape;
  /** A prompt without a chat has text in its tokens only, else the deltas have it. */
  plain: boolean;
  /** RFC 3339. */
  now: () => string;
  /** Milliseconds that the request waited for its model; asked at the end. */
  loadMs: () => number;
}

/** Takes an answer apart into pieces, for both ways of telling it. */
class Pieces {
  private readonly calls = new ToolCalls();
  private logprobs: ReturnType<typeof wireLogprob>[] = [];

  constructor(private readonly plain: boolean) {}

  /** Null where the event says nothing; errors are the caller's business. */
  next(event: EngineEvent): Piece | null {
    switch (event.type) {
      case 'token':
        if (event.logprobs) this.logprobs.push(wireLogprob(event.logprobs));
        return this.plain ? told({ content: event.text, thinking: '', toolCalls: [] }) : null;
      case 'delta':
        if (this.plain) return null;
        return told({
          content: event.content,
          thinking: event.reasoning,
          toolCalls: this.calls.push(event.toolCalls),
        });
      case 'done':
        return told({ content: '', thinking: '', toolCalls: this.calls.take() });
      case 'accepted':
      case 'progress':
      case 'prompt-logprobs':
      case 'error':
        return null;
    }
  }

  /** Of the tokens since the last time: each is told once, with the text that it completes. */
  takeLogprobs(): Pick<OllamaChatChunk, 'logprobs'> {
    const { logprobs } = this;
    this.logprobs = [];
    return logprobs.length > 0 ? { logprobs } : {};
  }
}

function told(piece: Piece): Piece | null {
  const isEmpty = piece.content === '' && piece.thinking === '' && piece.toolCalls.length === 0;
  return isEmpty ? null : piece;
}

const NOTHING: Piece = { content: '', thinking: '', toolCalls: [] };

/** The lines of a stream. */
export class LineEncoder implements StreamEncoder {
  private readonly pieces: Pieces;

  constructor(private readonly header: AnswerHeader) {
    this.pieces = new Pieces(header.plain);
  }

  /** The lines for one batch, in order. After `done` or an `error` the stream is complete. */
  encode(events: readonly EngineEvent[]): string[] {
    const lines: string[] = [];
    for (const event of events) {
      if (event.type === 'error') {
        lines.push(...this.encodeError(toGenerationError(event)));
        continue;
      }
      const piece = this.pieces.next(event);
      if (piece !== null) lines.push(this.line(piece, false));
      if (event.type === 'done') {
        lines.push(this.line(NOTHING, true, toMetrics(event, this.header.loadMs())));
      }
    }
    return lines;
  }

  encodeError(error: GenerationError): string[] {
    return [JSON.stringify({ error: error.message })];
  }

  private line(piece: Piece, done: boolean, metrics = {}): string {
    const { model, now, shape } = this.header;
    return JSON.stringify({
      model,
      created_at: now(),
      ...shape(piece),
      ...this.pieces.takeLogprobs(),
      done,
      ...metrics,
    });
  }
}

/** The same in one object. */
export class WholeAnswer {
  private readonly pieces: Pieces;
  private readonly whole: Piece = { content: '', thinking: '', toolCalls: [] };
  private end: DoneEvent | null = null;

  constructor(private readonly header: AnswerHeader) {
    this.pieces = new Pieces(header.plain);
  }

  push(event: EngineEvent): void {
    const piece = this.pieces.next(event);
    if (piece !== null) {
      this.whole.content += piece.content;
      this.whole.thinking += piece.thinking;
      this.whole.toolCalls.push(...piece.toolCalls);
    }
    if (event.type === 'done') this.end = event;
  }

  /** @throws GenerationError before its `done`, which no engine allows. */
  object(): object {
    if (this.end === null) {
      throw new GenerationError('engine_failed', 'The answer ended without an end.');
    }
    const { model, now, shape, loadMs } = this.header;
    return {
      model,
      created_at: now(),
      ...shape(this.whole),
      ...this.pieces.takeLogprobs(),
      done: true,
      ...toMetrics(this.end, loadMs()),
    };
  }
}
