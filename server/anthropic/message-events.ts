/**
 * Engine events → the events of a message, which a stream sends one by one and a collected answer joins. Pure: no
 * socket, no clock.
 */
import { createHash, type Hash } from 'node:crypto';
import type { ContentBlock, Message, MessageEvent, StopReason } from '../../protocol/anthropic.js';
import type { EngineEvent, ToolCallDelta } from '../../protocol/engine.js';
import type { DoneEvent } from '../openai/wire-values.js';
import { toWireId } from './tool-ids.js';

/** What a request says about the telling of its answer. */
export interface Telling {
  /** 0: the prompt is computed, and nothing of an answer is told. */
  maxTokens: number;
  /** False: a block of thinking comes without its text. */
  showsThinking: boolean;
  /** Counts prompt tokens from the cache apart. */
  tellsCache: boolean;
}

interface OpenBlock {
  index: number;
  type: ContentBlock['type'];
  /** Of a tool call within the answer. */
  call: number | null;
  /** Of the thinking so far. */
  hash: Hash | null;
}

type Delta = Extract<MessageEvent, { type: 'content_block_delta' }>['delta'];

export class MessageEvents {
  private blocks = 0;
  private open: OpenBlock | null = null;

  constructor(
    private readonly head: { id: string; model: string },
    private readonly telling: Telling,
  ) {}

  /** How much of the prompt comes from the cache shows only later. */
  begin(promptTokens: number): MessageEvent[] {
    const message: Message = {
      id: this.head.id,
      type: 'message',
      role: 'assistant',
      model: this.head.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: promptTokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
        cache_creation: null,
        inference_geo: null,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: 'standard',
        speed: null,
      },
    };
    return [{ type: 'message_start', message }, { type: 'ping' }];
  }

  /** Errors are the caller's business. */
  next(event: EngineEvent): MessageEvent[] {
    const out: MessageEvent[] = [];
    if (event.type === 'delta' && this.telling.maxTokens > 0) {
      if (event.reasoning !== '') this.think(out, event.reasoning);
      if (event.content !== '') {
        this.enter(out, { type: 'text', text: '', citations: null });
        this.push(out, { type: 'text_delta', text: event.content });
      }
      for (const piece of event.toolCalls) this.call(out, piece);
    } else if (event.type === 'done') {
      this.close(out);
      out.push(this.end(event), { type: 'message_stop' });
    }
    return out;
  }

  private think(out: MessageEvent[], thinking: string): void {
    const { hash } = this.enter(out, { type: 'thinking', thinking: '', signature: '' });
    hash?.update(thinking);
    if (this.telling.showsThinking) this.push(out, { type: 'thinking_delta', thinking });
  }

  private call(out: MessageEvent[], { index, id, name, arguments: text }: ToolCallDelta): void {
    const block: ContentBlock = {
      type: 'tool_use',
      id: toWireId(id ?? ''),
      name: name ?? '',
      input: {},
      caller: { type: 'direct' },
    };
    this.enter(out, block, index);
    if (text !== '') this.push(out, { type: 'input_json_delta', partial_json: text });
  }

  /** Begins the block unless it is the one that is open. */
  private enter(out: MessageEvent[], block: ContentBlock, call: number | null = null): OpenBlock {
    const { open } = this;
    if (open?.type === block.type && open.call === call) return open;
    this.close(out);
    const index = this.blocks++;
    out.push({ type: 'content_block_start', index, content_block: block });
    const hash = block.type === 'thinking' ? createHash('sha256') : null;
    this.open = { index, type: block.type, call, hash };
    return this.open;
  }

  private close(out: MessageEvent[]): void {
    if (this.open === null) return;
    const { index, hash } = this.open;
    // Clients hand it back with the block and some drop a block without one; nothing here depends on it.
    if (hash) this.push(out, { type: 'signature_delta', signature: hash.digest('base64') });
    out.push({ type: 'content_block_stop', index });
    this.open = null;
  }

  private push(out: MessageEvent[], delta: Delta): void {
    out.push({ type: 'content_block_delta', index: this.open?.index ?? 0, delta });
  }

  private end(done: DoneEvent): MessageEvent {
    const cached = this.telling.tellsCache ? done.cachedTokens : 0;
    return {
      type: 'message_delta',
      delta: {
        stop_reason: stopReason(done, this.telling.maxTokens),
        stop_sequence: done.stopString ?? null,
        stop_details: null,
        container: null,
      },
      usage: {
        input_tokens: done.promptTokens - cached,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: cached,
        output_tokens: Math.min(done.outputTokens, this.telling.maxTokens),
        output_tokens_details: null,
        server_tool_use: null,
      },
    };
  }
}

/** The only place where reasons of the engine become reasons of the dialect. */
function stopReason(done: DoneEvent, maxTokens: number): StopReason {
  switch (done.finishReason) {
    case 'stop_string':
      // The template's own end marker is how the model ends its turn.
      return done.stopString === undefined ? 'end_turn' : 'stop_sequence';
    case 'length':
      return done.outputTokens >= maxTokens ? 'max_tokens' : 'model_context_window_exceeded';
    case 'tool_calls':
      return 'tool_use';
    case 'eog':
    case 'stop_token':
    // Only a client that has gone cancels, so nobody reads this one.
    case 'cancelled':
      return maxTokens === 0 ? 'max_tokens' : 'end_turn';
  }
}
