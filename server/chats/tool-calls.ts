/** The calls that answers make: asked for where the person wants to be asked, run, and told to the model. */
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { MessagePart } from '../../protocol/chats.js';
import type { ToolDecision } from '../../protocol/mcp.js';
import { ApiError } from '../http/errors.js';
import { ToolCallError } from '../mcp/tool-server.js';
import type { ToolOffer, ToolServers } from '../mcp/tool-servers.js';
import { argumentsIn } from './tool-arguments.js';

export type ToolCall = Extract<MessagePart, { type: 'tool_call' }>;

type Decision = ToolDecision['decision'];

/** Milliseconds that an answer waits for tool servers that are being started. */
const START_MS = 15_000;

const STOPPED = 'This call was not finished: the answer was stopped.';

export interface CallPlace {
  chatId: string;
  messageId: string;
  signal: AbortSignal;
  /** One of the calls is another one now. */
  changed: () => void;
}

interface Waiting extends CallPlace {
  call: ToolCall;
  decide: (decision: Decision) => void;
}

/** A call that nobody goes on with. */
export function endedCall(call: ToolCall): ToolCall {
  const isOpen = call.state === 'writing' || call.state === 'waiting' || call.state === 'running';
  return isOpen ? { ...call, state: 'refused', reason: 'stopped', result: STOPPED } : call;
}

export class ToolCalls {
  readonly #waiting = new Set<Waiting>();
  /** What the person has allowed in chats, as long as this server runs. */
  readonly #allowed = new Set<string>();

  constructor(private readonly tools: ToolServers) {}

  /** Those that a chat's model may call. */
  async offers(settings: ChatSettings, signal: AbortSignal): Promise<ToolOffer[]> {
    if (!mayCall(settings)) return [];
    const patience = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
    await this.tools.settled(settings.tools, patience);
    return this.tools.offers(settings.tools);
  }

  /** The same, as far as their servers are there already. */
  offersNow(settings: ChatSettings): ToolOffer[] {
    return mayCall(settings) ? this.tools.offers(settings.tools) : [];
  }

  /** An engine cannot be told of it. */
  drop(offer: ToolOffer, reason: string): void {
    this.tools.refuse(offer, reason);
  }

  /** Runs calls that were made at once; each ends with a result, whatever happens. Never rejects. */
  async run(calls: readonly ToolCall[], place: CallPlace): Promise<void> {
    await Promise.all(calls.map((call) => this.#run(call, place)));
  }

  /** The limit of steps is reached. */
  refuseFurther(calls: readonly ToolCall[], limit: number): void {
    for (const call of calls) {
      Object.assign(call, {
        ...{ state: 'refused', reason: 'steps' },
        result: `The limit of ${limit} steps of calls is reached, so this one was not made. Answer with what there is.`,
      });
    }
  }

  /** @throws ApiError 409 where it does not wait. */
  async decide(
    place: { chatId: string; messageId: string; callId: string },
    decision: Decision,
  ): Promise<void> {
    const { chatId, messageId, callId } = place;
    const waiting = [...this.#waiting].find(
      (each) => each.chatId === chatId && each.messageId === messageId && each.call.id === callId,
    );
    if (waiting === undefined) {
      throw new ApiError(409, 'This call does not wait for a decision.', {
        code: 'call_not_waiting',
      });
    }
    const { server, tool } = waiting.call;
    if (decision === 'always') await this.tools.patch(server, { consent: { [tool]: 'always' } });
    if (decision === 'chat') this.#allowed.add(keyOf(chatId, server, tool));
    waiting.decide(decision);
    if (decision === 'once' || decision === 'refuse') return;
    // Others of the same tool wait for the same word.
    for (const each of this.#waiting) {
      const isSame = each.call.server === server && each.call.tool === tool;
      if (isSame && (decision === 'always' || each.chatId === chatId)) each.decide('once');
    }
  }

  /** What was allowed to the one that had this name, was not allowed to another one. */
  forget(server: string): void {
    for (const key of this.#allowed) {
      if (serverOf(key) === server) this.#allowed.delete(key);
    }
  }

  async #run(call: ToolCall, place: CallPlace): Promise<void> {
    const { signal, changed } = place;
    const end = (state: ToolCall['state'], reason: ToolCall['reason'], result: string) => {
      Object.assign(call, { state, reason, result });
      changed();
    };
    const consent = this.tools.consent(call.server, call.tool);
    if (call.server === '' || consent === 'never') {
      end('failed', 'unknown', 'There is no such tool, or it is switched off.');
      return;
    }
    const args = argumentsIn(call.arguments);
    if (args === null) {
      end('failed', 'arguments', 'The arguments are no JSON object, so the call was not made.');
      return;
    }
    const isAllowed =
      consent === 'always' || this.#allowed.has(keyOf(place.chatId, call.server, call.tool));
    const decision = isAllowed ? 'once' : await this.#ask(call, place);
    if (signal.aborted) end('refused', 'stopped', STOPPED);
    else if (decision === 'refuse') {
      end('refused', 'person', 'The person refused this call. Go on without it.');
    } else await this.#call(call, args, place, end);
  }

  async #call(
    call: ToolCall,
    args: Record<string, unknown>,
    { signal, changed }: CallPlace,
    end: (state: ToolCall['state'], reason: ToolCall['reason'], result: string) => void,
  ): Promise<void> {
    call.state = 'running';
    changed();
    const began = performance.now();
    const time = () => {
      call.ms = Math.round(performance.now() - began);
    };
    try {
      const { text, isError } = await this.tools.call(call.server, call.tool, args, signal);
      time();
      end(isError ? 'failed' : 'done', isError ? 'tool' : null, text);
    } catch (error) {
      time();
      if (signal.aborted) end('refused', 'stopped', STOPPED);
      else if (error instanceof ToolCallError) end('failed', error.reason, error.message);
      else end('failed', 'server', error instanceof Error ? error.message : 'The call failed.');
    }
  }

  /** Resolves with the person's word, or when nobody waits for it any more. */
  async #ask(call: ToolCall, place: CallPlace): Promise<Decision> {
    const { signal, changed } = place;
    if (signal.aborted) return 'refuse';
    return new Promise((resolve) => {
      const decide = (decision: Decision) => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', stop);
        resolve(decision);
      };
      const stop = () => decide('refuse');
      const waiting: Waiting = { ...place, call, decide };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', stop);
      call.state = 'waiting';
      changed();
    });
  }
}

/** None of the three has a line break but a tool's name, which comes last. */
const keyOf = (chat: string, server: string, tool: string) => `${chat}\n${server}\n${tool}`;

const serverOf = (key: string) => key.split('\n')[1];

/** An answer that has to be of a shape can be no call. */
function mayCall({ tools, response_schema: schema }: ChatSettings): boolean {
  return tools?.length !== 0 && schema === null;
}
