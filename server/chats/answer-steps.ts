/** What a model is asked for an answer, step by step: a request, the calls that it makes, the next request. */
import type { AnswerStatus, ChatMessage } from '../../protocol/chats.js';
import type { ServerState } from '../../protocol/models.js';
import { createId } from '../http/ids.js';
import type { StateFeed } from '../state.js';
import { AskError, type AskEvent, ask } from './asking.js';
import type { AttachedFiles } from './attached.js';
import type { OpenChatEvent } from './feed.js';
import { NO_TOOLS, requestBody } from './prompt.js';
import type { Run } from './run.js';
import type { ToolCalls } from './tool-calls.js';

/** Steps of calls in an answer, where the chat says nothing else. */
const TOOL_STEPS = 10;

export interface AnswerStepsOptions {
  /** Of this server, such as "http://127.0.0.1:7411". */
  url: () => string;
  /** The server's own. */
  key: string;
  /** Whether this machine has the model. */
  isLocal: (model: string) => boolean;
  /** Tells how far a model that an answer waits for has been loaded. */
  state: StateFeed;
  toolCalls: ToolCalls;
  /** What the files of a branch say to a model. */
  filesOf: (branch: readonly ChatMessage[], model: string) => Promise<AttachedFiles>;
  /** Whether it may be told of tools. */
  knowsTools: (model: string) => boolean;
}

interface StepsListener {
  tell(run: Run, event: OpenChatEvent): void;
  /** There is something to be written. */
  keep(run: Run): void;
  /** So many tokens have come in this step. */
  counted(run: Run, tokens: number): void;
}

export class AnswerSteps {
  readonly #byRequest = new Map<string, Run>();

  constructor(
    private readonly options: AnswerStepsOptions,
    private readonly listener: StepsListener,
  ) {}

  /** That made this request. */
  runOf(requestId: string): Run | undefined {
    return this.#byRequest.get(requestId);
  }

  /** The request has ended, and its counts are known. */
  ended(requestId: string): void {
    this.#byRequest.delete(requestId);
  }

  /**
   * What the model says, the calls that it makes, and what it says to their results, until it makes no more.
   * @throws AskError
   */
  async take(run: Run): Promise<AnswerStatus> {
    const { toolCalls, knowsTools } = this.options;
    const { settings, abort, chatId, answer } = run;
    if (knowsTools(answer.model)) {
      const offers = await toolCalls.offers(settings, abort.signal);
      run.tools = { offers, areKnown: true };
    }
    const limit = settings.max_tool_steps ?? TOOL_STEPS;
    for (let made = 0; ; made++) {
      const status = abort.signal.aborted ? run.abortedAs : await this.#step(run);
      const calls = run.parts.openCalls();
      if (status !== 'complete' || calls.length === 0) return status;
      const changed = () => this.#changed(run);
      if (made < limit) {
        const place = { chatId, messageId: answer.id, signal: abort.signal, changed };
        await toolCalls.run(calls, place);
        continue;
      }
      toolCalls.refuseFurther(calls, limit);
      changed();
      // It says the rest in words; one that calls all the same has said all.
      if (run.tools.offers.length === 0) return 'complete';
      run.tools = { ...run.tools, offers: [] };
    }
  }

  /** One request to the model, once more without a tool that it cannot be told of. @throws AskError */
  async #step(run: Run): Promise<AnswerStatus> {
    for (;;) {
      try {
        return await this.#request(run);
      } catch (error) {
        if (!(error instanceof AskError) || !this.#withoutTool(run, error)) throw error;
      }
    }
  }

  /** @returns whether there is a tool less now. */
  #withoutTool(run: Run, { failure, param }: AskError): boolean {
    const { offers } = run.tools;
    const at = /^tools\[(\d+)\]/.exec(param ?? '')?.[1];
    const offer = offers[Number(at)];
    if (failure.code === 'invalid_tool' && offer !== undefined) {
      this.options.toolCalls.drop(offer, failure.message);
      run.tools = { ...run.tools, offers: offers.filter((each) => each !== offer) };
      return true;
    }
    // Of a server whose model knows no tools, in whatever words.
    const isOfTools = offers.length > 0 && /\btool/i.test(`${param} ${failure.message}`);
    if (isOfTools) run.tools = NO_TOOLS;
    return isOfTools;
  }

  /**
   * One request to the model, and what it says to its end.
   * @throws AskError
   */
  async #request(run: Run): Promise<AnswerStatus> {
    const { url, key, isLocal, filesOf } = this.options;
    const { answer, settings, tools, abort } = run;
    const { model } = answer;
    const before = run.branch.filter(({ id }) => id !== answer.id);
    const branch = run.parts.isEmpty ? before : [...before, answer];
    const files = await filesOf(branch, model);
    const body = requestBody({ model, isLocal: isLocal(model), settings, branch, tools, files });
    const requestId = createId('chat_');
    Object.assign(run, {
      ...{ requestId, isAsking: false, calls: new Map(), before: answer.measure },
      ...{ pieces: 0, startedAt: performance.now(), firstAt: null },
    });
    let reason = 'stop';
    this.#byRequest.set(requestId, run);
    const unfollow = this.#followLoading(run);
    try {
      const events = ask({ url: url(), key, requestId, body, signal: abort.signal });
      for await (const batch of events) {
        for (const event of batch) {
          if (event.type === 'finish') reason = event.reason;
          else this.#take(run, event);
        }
      }
    } finally {
      unfollow();
      // One that is cut off ends a step later, and its counts are known only then.
      if (!run.isAsking) this.#byRequest.delete(requestId);
    }
    if (abort.signal.aborted) return run.abortedAs;
    return reason === 'length' ? 'length' : 'complete';
  }

  /** The stream tells nothing of it in its first seconds, in which many a model is there. */
  #followLoading(run: Run): () => void {
    const { state } = this.options;
    let told: number | null = null;
    const look = ({ models }: Pick<ServerState, 'models'>) => {
      const model = models.find(({ id }) => id === run.answer.model);
      if (run.firstAt !== null || model?.status !== 'loading') return;
      const fraction = model.progress ?? 0;
      if (fraction === told) return;
      told = fraction;
      this.listener.tell(run, {
        type: 'progress',
        message_id: run.answer.id,
        progress: { stage: 'loading', fraction },
      });
    };
    look(state.now());
    return state.subscribe(look);
  }

  #take(run: Run, event: Exclude<AskEvent, { type: 'finish' }>): void {
    if (event.type === 'progress') {
      this.listener.tell(run, { ...event, message_id: run.answer.id });
      return;
    }
    const now = performance.now();
    run.firstAt ??= now;
    run.lastAt = now;
    run.pieces++;
    if (event.type === 'call') {
      this.#takeCall(run, event, now);
      return;
    }
    for (const kind of ['reasoning', 'text'] as const) {
      const text = kind === 'text' ? event.content : event.reasoning;
      if (text === '') continue;
      if (kind === 'text' && run.parts.endReasoning(now)) this.#tellMessage(run);
      const delta = run.parts.push(kind, text, now);
      if (delta !== null) this.listener.tell(run, delta);
    }
    this.listener.keep(run);
    if (!this.options.isLocal(run.answer.model)) this.listener.counted(run, run.pieces);
  }

  #takeCall(run: Run, event: Extract<AskEvent, { type: 'call' }>, now: number): void {
    let call = run.calls.get(event.index);
    if (call === undefined) {
      const [first] = run.calls.values();
      call = run.parts.beginCall(first?.step ?? run.parts.nextStep, event.id, now);
      run.calls.set(event.index, call);
    }
    call.arguments += event.arguments;
    if (event.name !== '') {
      const offer = run.tools.offers.find(({ name }) => name === event.name);
      call.server = offer?.server ?? '';
      call.tool = offer?.tool ?? event.name.slice(0, 200);
      this.#tellMessage(run);
    }
    this.listener.keep(run);
  }

  #changed(run: Run): void {
    this.#tellMessage(run);
    this.listener.keep(run);
  }

  #tellMessage(run: Run): void {
    this.listener.tell(run, { type: 'message', message: run.answer });
  }
}
