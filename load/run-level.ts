/** Puts a server under load at one level: so many requests at the same time, and what became of each. */
import { setMaxListeners } from 'node:events';
import { type Api, targetOf } from './api.js';
import { type Answer, ask, type Failure } from './ask.js';
import { isFinal } from './discover.js';
import { followerOf } from './follower.js';
import { type RequestShape, requestBody } from './prompts.js';
import { isBusy, RETRIES, retryDelay, sleep } from './retry.js';

export interface LevelPlan {
  /** Requests at the same time, at most. */
  concurrency: number;
  /** Where it ends: after so many requests, or when none is begun any more. Milliseconds. */
  until: { requests: number } | { durationMs: number };
  /** Requests begun in a second; null: one as soon as another is answered. */
  rate: number | null;
  /** Requests before the measurement, which are not measured. */
  warmUp: number;
  shape: RequestShape;
  /** The prompt of a request, by a mark that no other has. */
  prompt: (mark: string) => string;
  /** For each request, milliseconds. */
  timeoutMs: number;
}

export interface LevelRun {
  concurrency: number;
  /** In order of their end. */
  answers: Answer[];
  /** From the first request until the last answer is complete, milliseconds. */
  wallMs: number;
  /** When it began, on the clock of performance.now(). */
  begunAt: number;
  /** Answers that only said to come back later; their requests were sent again. */
  busy: number;
  /** With a rate: requests that began late because all others were still running. */
  late: number;
  /** Running when the level was ended before its time. */
  unfinished: number;
  /** Why it was ended before its time, where a failure did it. */
  stoppedBy: Failure | null;
  /** Share of one core that the client took. */
  clientCpu: number;
}

export interface LevelHooks {
  signal: AbortSignal;
  /** The warm-up is over. */
  onBegin: () => void;
  /** Each piece of output, as it comes. */
  onOutput: () => void;
  onAnswer: (answer: Answer) => void;
}

/** A warm-up is about the model and its slots, not about long answers. */
const WARM_UP_TOKENS = 16;

/** Ends early, with what it has, where the signal aborts or a failure shows that no request can succeed. */
export async function runLevel(api: Api, plan: LevelPlan, hooks: LevelHooks): Promise<LevelRun> {
  // Each request listens to it.
  setMaxListeners(0, hooks.signal);
  await warmUp(api, plan, hooks.signal);
  hooks.onBegin();
  return new Level(api, plan, hooks).run();
}

async function warmUp(api: Api, plan: LevelPlan, signal: AbortSignal): Promise<void> {
  const { shape, concurrency, warmUp: n, timeoutMs } = plan;
  const target = targetOf(api, shape.protocol);
  const short = { ...shape, maxTokens: Math.min(shape.maxTokens, WARM_UP_TOKENS) };
  let begun = 0;
  const worker = async () => {
    while (begun < n && !signal.aborted) {
      const body = requestBody(short, plan.prompt(`warm-up/${concurrency}/${begun++}`));
      await ask(target, body, followerOf(shape.protocol, body), { signal, timeoutMs });
    }
  };
  await Promise.all(Array.from({ length: Math.min(n, concurrency) }, worker));
}

class Level {
  private readonly stop = new AbortController();
  private readonly begunAt = performance.now();
  private readonly result: LevelRun;
  private begun = 0;

  constructor(
    private readonly api: Api,
    private readonly plan: LevelPlan,
    private readonly hooks: LevelHooks,
  ) {
    this.result = {
      ...{ concurrency: plan.concurrency, answers: [], wallMs: 0, begunAt: this.begunAt },
      ...{ busy: 0, late: 0, unfinished: 0, stoppedBy: null, clientCpu: 0 },
    };
  }

  async run(): Promise<LevelRun> {
    const { signal } = this.hooks;
    const stop = () => this.stop.abort();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    setMaxListeners(0, this.stop.signal);
    const before = process.cpuUsage();
    await Promise.all(Array.from({ length: this.plan.concurrency }, () => this.work()));
    signal.removeEventListener('abort', stop);
    const { user, system } = process.cpuUsage(before);
    this.result.wallMs = performance.now() - this.begunAt;
    this.result.clientCpu = (user + system) / 1000 / this.result.wallMs;
    return this.result;
  }

  /** One place: a request at a time. */
  private async work(): Promise<void> {
    for (;;) {
      const number = await this.next();
      if (number === null) return;
      await this.request(number);
    }
  }

  /** The number of the request that may begin now; null: no more. */
  private async next(): Promise<number | null> {
    const { until, rate } = this.plan;
    const elapsed = performance.now() - this.begunAt;
    if (this.stop.signal.aborted) return null;
    if ('requests' in until ? this.begun >= until.requests : elapsed >= until.durationMs) {
      return null;
    }
    const number = this.begun;
    if (rate === null) {
      this.begun++;
      return number;
    }
    const dueMs = (number * 1000) / rate;
    if ('durationMs' in until && dueMs >= until.durationMs) return null;
    this.begun++;
    if (elapsed > dueMs && number > 0) this.result.late++;
    await sleep(dueMs - elapsed, this.stop.signal);
    return this.stop.signal.aborted ? null : number;
  }

  private async request(number: number): Promise<void> {
    const { plan, hooks } = this;
    const { signal } = this.stop;
    const { protocol } = plan.shape;
    const body = requestBody(plan.shape, plan.prompt(`${plan.concurrency}/${number}`));
    const target = targetOf(this.api, protocol);
    for (let tries = 0; ; tries++) {
      const answer = await ask(target, body, followerOf(protocol, body), {
        ...{ signal, timeoutMs: plan.timeoutMs, onOutput: hooks.onOutput },
      });
      const { failure } = answer;
      if (failure && isBusy(failure)) {
        this.result.busy++;
        const delayMs = retryDelay(failure);
        if (delayMs !== null && tries < RETRIES) {
          await sleep(delayMs, signal);
          if (!signal.aborted) continue;
        }
      }
      if (answer.isStopped || (signal.aborted && failure && isBusy(failure))) {
        this.result.unfinished++;
        return;
      }
      this.result.answers.push(answer);
      hooks.onAnswer(answer);
      if (failure && isFinal(failure)) {
        this.result.stoppedBy ??= failure;
        this.stop.abort();
      }
      return;
    }
  }
}
