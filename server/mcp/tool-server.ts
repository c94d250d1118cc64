/** One tool server: started and stopped as the person wants, started anew where it ends by itself, and asked. */
import {
  CallToolResultSchema,
  ErrorCode,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpProblem, McpServer, McpServerConfig } from '../../protocol/mcp.js';
import { type Link, openLink } from './connection.js';
import { LogTail } from './log-tail.js';
import { isLasting, ToolServerError, toProblem } from './problem.js';
import { listTools, type OfferedTool } from './tool-list.js';
import { type ToolAnswer, toAnswer } from './tool-result.js';

/** Milliseconds. */
export interface ToolTimes {
  /** Until it has said hello; a first start may download it. */
  start: number;
  /** For a list of tools, and for a word that it is there. */
  answer: number;
  /** Without word of progress. */
  call: number;
  /** Whatever it says of its progress. */
  callMax: number;
  /** Before it is started again by itself, doubling with each time up to the second. */
  retry: readonly [first: number, most: number];
}

export const TOOL_TIMES: ToolTimes = {
  ...{ start: 60_000, answer: 15_000, call: 120_000, callMax: 30 * 60_000 },
  retry: [1_000, 60_000],
};

/** A program that ends so often in a row would only go on doing so. */
const STARTS_MAX = 6;

/** Milliseconds after which a server that runs is taken for one that does. */
const STEADY_MS = 60_000;

interface ToolServerOptions {
  id: string;
  /** With its secrets. @throws ToolServerError where they cannot be read. */
  config: () => Promise<McpServerConfig>;
  version: string;
  times: ToolTimes;
  onChange: () => void;
  /** It has told its tools anew. */
  onStart: () => void;
}

/** Why a call has no answer; the message is a sentence for the model and for people. */
export class ToolCallError extends Error {
  override readonly name = 'ToolCallError';

  constructor(
    readonly reason: 'server' | 'timeout' | 'unknown',
    message: string,
  ) {
    super(message);
  }
}

export class ToolServer {
  #status: McpServer['status'] = 'off';
  #problem: McpProblem | null = null;
  #retryAt: number | null = null;
  #tools: readonly OfferedTool[] = [];
  readonly #log: LogTail;
  #link: Link | null = null;
  /** Of this start; aborted when it is over. */
  #run = new AbortController();
  /** The program, or where the address leads; for sentences. */
  #where = '';
  #isProgram = false;
  /** In a row that came to nothing. */
  #failures = 0;
  #retry: NodeJS.Timeout | null = null;
  #steady: NodeJS.Timeout | null = null;
  /** The end of what ran before. */
  #ending: Promise<unknown> = Promise.resolve();
  #listing: Promise<void> | null = null;
  #isListStale = false;
  #checking: Promise<void> | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly options: ToolServerOptions) {
    this.#log = new LogTail(options.onChange);
  }

  get status(): McpServer['status'] {
    return this.#status;
  }

  get tools(): readonly OfferedTool[] {
    return this.#tools;
  }

  told(): Pick<McpServer, 'status' | 'problem' | 'retry_at' | 'log'> {
    return {
      ...{ status: this.#status, problem: this.#problem, retry_at: this.#retryAt },
      log: [...this.#log.lines],
    };
  }

  /** Starts it; one that runs is started anew. */
  start(): void {
    this.#failures = 0;
    this.#begin();
  }

  /** Resolves when it is gone. Calls that it runs fail. */
  stop(): Promise<void> {
    this.#leave();
    this.#set('off', null);
    return this.#ending.then(() => {});
  }

  /** Resolves when it is known whether it runs. */
  async settled(signal: AbortSignal): Promise<void> {
    if (this.#status !== 'starting' || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  /**
   * @throws ToolCallError; the reason of `signal` where it is aborted.
   */
  async call(
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const link = this.#link;
    if (link === null) {
      const why = this.#problem === null ? '' : ` ${this.#problem.message}`;
      throw new ToolCallError('server', `The tool server "${this.options.id}" does not run.${why}`);
    }
    const { call, callMax } = this.options.times;
    try {
      const answer = await link.client.callTool(
        { name: tool, arguments: args },
        CallToolResultSchema,
        // Whoever tells of progress is not stuck. The SDK listens for longer than the call lasts.
        { signal: AbortSignal.any([signal]), timeout: call, maxTotalTimeout: callMax, ...PROGRESS },
      );
      return toAnswer(CallToolResultSchema.parse(answer));
    } catch (error) {
      signal.throwIfAborted();
      throw this.#callError(error, link);
    }
  }

  #callError(error: unknown, link: Link): ToolCallError {
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
      const seconds = Math.round(this.options.times.call / 1000);
      return new ToolCallError('timeout', `The tool did not answer within ${seconds} seconds.`);
    }
    const isAnswer = error instanceof McpError && error.code !== ErrorCode.ConnectionClosed;
    // Whether only this call went wrong, it shows itself when asked.
    if (!isAnswer) this.#check(link);
    const { message } = isAnswer ? error : this.#problemOf(error);
    return new ToolCallError('server', `The call failed. ${message}`);
  }

  #begin(): void {
    this.#leave();
    const run = this.#run;
    this.#set('starting', null);
    const before = this.#ending;
    this.#ending = before.then(async () => {
      if (!run.signal.aborted) await this.#connect(run).catch((error) => this.#fail(run, error));
    });
  }

  async #connect(run: AbortController): Promise<void> {
    const { options } = this;
    const { times, version } = options;
    const config = await options.config();
    this.#isProgram = 'command' in config;
    this.#where = 'command' in config ? config.command : new URL(config.url).origin;
    const { signal } = run;
    signal.throwIfAborted();
    const link = await openLink({
      ...{ config, version, signal, log: this.#log, patience: times.start },
      onClose: (reason) => this.#fail(run, reason ?? new ToolServerError('exited', '')),
      onTrouble: () => this.#check(link),
    });
    this.#link = link;
    if (signal.aborted) {
      this.#link = null;
      await link.close();
      return;
    }
    link.client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#isListStale = true;
      void this.#list(run, link).catch(() => {});
    });
    this.#isListStale = true;
    await this.#list(run, link);
    if (signal.aborted) return;
    options.onStart();
    this.#set('ready', null);
    this.#steady = setTimeout(() => {
      this.#failures = 0;
    }, STEADY_MS).unref();
  }

  /** One reading at a time; what changes meanwhile is read after it. */
  #list(run: AbortController, link: Link): Promise<void> {
    this.#listing ??= (async () => {
      try {
        while (this.#isListStale && !run.signal.aborted) {
          this.#isListStale = false;
          const tools = await listTools(link.client, this.options.times.answer);
          if (run.signal.aborted) return;
          this.#tools = tools;
          this.options.onChange();
        }
      } finally {
        this.#listing = null;
      }
    })();
    return this.#listing;
  }

  /** Whether it is still there. */
  #check(link: Link): void {
    const run = this.#run;
    if (this.#link !== link) return;
    this.#checking ??= link.client
      .ping({ timeout: this.options.times.answer })
      .then(() => {})
      .catch((error: unknown) => {
        const isThere =
          error instanceof McpError &&
          error.code !== ErrorCode.ConnectionClosed &&
          error.code !== ErrorCode.RequestTimeout;
        if (!isThere) this.#fail(run, error);
      })
      .finally(() => {
        this.#checking = null;
      });
  }

  /** It has ended by itself, or could not be started. */
  #fail(run: AbortController, error: unknown): void {
    if (run.signal.aborted || run !== this.#run) return;
    this.#leave();
    this.#failures += 1;
    const problem = this.#problemOf(error);
    const mayRetry = !isLasting(problem) && (!this.#isProgram || this.#failures < STARTS_MAX);
    if (mayRetry) {
      const [first, most] = this.options.times.retry;
      const ms = Math.min(most, first * 2 ** Math.min(this.#failures - 1, 20));
      this.#retryAt = Date.now() + ms;
      this.#retry = setTimeout(() => this.#begin(), ms).unref();
    }
    this.#set('failed', problem);
  }

  #problemOf(error: unknown): McpProblem {
    return toProblem(error, this.#where);
  }

  /** Ends what runs, and what is planned. */
  #leave(): void {
    this.#run.abort(new ToolServerError('exited', ''));
    this.#run = new AbortController();
    if (this.#retry !== null) clearTimeout(this.#retry);
    if (this.#steady !== null) clearTimeout(this.#steady);
    this.#retry = null;
    this.#steady = null;
    this.#retryAt = null;
    const link = this.#link;
    this.#link = null;
    if (link !== null) this.#ending = Promise.all([this.#ending, link.close().catch(() => {})]);
  }

  #set(status: McpServer['status'], problem: McpProblem | null): void {
    this.#status = status;
    this.#problem = problem;
    if (status !== 'starting') for (const done of [...this.#waiting]) done();
    this.options.onChange();
  }
}

const PROGRESS = { resetTimeoutOnProgress: true, onprogress: () => {} };
