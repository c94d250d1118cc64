/**
 * Messages of a program's input and output. The SDK's own transport neither ends what a program has started, nor bounds
 * how long one that never sends a whole message may go on.
 */

import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { McpProgram } from '../../protocol/mcp.js';
import type { LogTail } from './log-tail.js';
import { ToolServerError } from './problem.js';
import { Program } from './program.js';

/** Bytes of one message: a picture of ten megabytes in base64, and more. */
const MESSAGE_MAX = 16 * 1024 * 1024;

/** Milliseconds that a program has to end by itself once its input has ended, and again after SIGTERM. */
const GRACE_MS = 1_000;

/** Milliseconds that the pipes of a program that has ended may stay open. */
const PIPES_MS = 500;

const NEWLINE = 0x0a;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #program: Program | null = null;
  /** Of a message whose end is not there yet. */
  #parts: Buffer[] = [];
  #length = 0;
  #isClosed = false;
  #closing: Promise<void> | null = null;
  #ended: Promise<void> = Promise.resolve();
  /** Why it ended by itself; null while it runs. */
  #failure: ToolServerError | null = null;

  constructor(
    private readonly config: McpProgram,
    private readonly log: LogTail,
  ) {}

  /** @throws ToolServerError */
  start(): Promise<void> {
    const program = new Program(this.config);
    this.#program = program;
    const { child } = program;
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.log.add(chunk));
    // It has ended, or closed its end: the exit says which.
    for (const pipe of child.stdio) pipe?.on('error', () => {});
    this.#ended = this.#whenEnded(program);
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        const failure = new ToolServerError('not_found', this.config.command);
        reject('code' in error && error.code === 'ENOENT' ? failure : error);
      });
    });
  }

  /** Why it ended by itself, while whoever waited for it is told only that it has. */
  get failure(): ToolServerError | null {
    return this.#failure;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#program?.child.stdin;
    if (this.#isClosed || !input?.writable) {
      return Promise.reject(this.#failure ?? new ToolServerError('exited', ''));
    }
    return new Promise((resolve) => {
      // One that failed ends with the program, which is told of there.
      input.write(serializeMessage(message), () => resolve());
    });
  }

  /** Resolves when the program and all that it had started are gone. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const program = this.#program;
    const { child } = program ?? {};
    const isRunning = child?.pid !== undefined && child.exitCode === null && !child.signalCode;
    this.#end(null);
    if (!program || !isRunning) return;
    child.stdin?.end();
    if (!(await this.#endsWithin(GRACE_MS))) {
      program.kill(false);
      if (!(await this.#endsWithin(GRACE_MS))) program.kill(true);
    }
    await this.#ended;
  }

  /** Resolves when it has ended, and its last words are read. */
  #whenEnded(program: Program): Promise<void> {
    const { child } = program;
    return new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', (code, signal) => {
        const end = () => {
          clearTimeout(timer);
          this.log.flush();
          this.#end(new ToolServerError('exited', this.#lastWords(code, signal)));
          resolve();
        };
        // One that has left the group may hold the pipes open.
        const timer = setTimeout(end, PIPES_MS);
        child.once('close', end);
        program.kill(true);
      });
    });
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const hasEnded = await Promise.race([this.#ended.then(() => true), late]);
    clearTimeout(timer);
    return hasEnded;
  }

  #end(failure: ToolServerError | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failure = failure;
    this.#parts = [];
    this.onclose?.();
  }

  #lastWords(code: number | null, signal: string | null): string {
    const how = signal === null ? `exit code ${code}` : signal;
    const line = this.log.lines.at(-1);
    return line === undefined ? how : `${how}. ${line}`;
  }

  #read(chunk: Buffer): void {
    let from = 0;
    while (!this.#isClosed) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end < 0) break;
      this.#parts.push(chunk.subarray(from, end));
      const line = Buffer.concat(this.#parts);
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
      this.#take(line);
    }
    const rest = chunk.subarray(from);
    if (this.#isClosed || rest.length === 0) return;
    this.#parts.push(rest);
    this.#length += rest.length;
    if (this.#length <= MESSAGE_MAX) return;
    this.#end(new ToolServerError('too_much'));
    this.#program?.kill(true);
  }

  /** What is no message, such as a greeting that should have gone to the error output, goes to the log. */
  #take(line: Buffer): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line.toString());
    } catch {
      this.log.add(line);
      this.log.add('\n');
      return;
    }
    this.onmessage?.(message);
  }
}
