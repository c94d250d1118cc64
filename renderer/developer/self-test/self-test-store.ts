/** A run of the self-test, as it is told. */
import type { SelfTestId, SelfTestResult } from '../../../protocol/self-test.js';
import { messageOf } from '../../api/error.js';
import { runSelfTest } from '../../api/serving.js';
import { Store } from '../../shell/store.js';

export interface SelfTestRun {
  status: 'idle' | 'running' | 'ended' | 'stopped' | 'failed';
  model: string | null;
  /** That is tried now. */
  test: SelfTestId | null;
  results: Readonly<Partial<Record<SelfTestId, SelfTestResult>>>;
  /** Why it could not be run, in a sentence for people. */
  failure: string | null;
}

const IDLE: SelfTestRun = { status: 'idle', model: null, test: null, results: {}, failure: null };

export class SelfTestStore extends Store<SelfTestRun> {
  #running: AbortController | null = null;

  constructor(private readonly run: typeof runSelfTest = runSelfTest) {
    super(IDLE);
  }

  async start(): Promise<void> {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    this.update({ ...IDLE, status: 'running' });
    try {
      for await (const event of this.run(running.signal)) {
        if (event.type === 'begin') this.update({ model: event.model });
        else if (event.type === 'running') this.update({ test: event.test });
        else if (event.type === 'end') this.update({ status: 'ended' });
        else {
          const { results } = this.snapshot();
          this.update({ results: { ...results, [event.test]: event } });
        }
      }
    } catch (cause) {
      if (!running.signal.aborted) this.update({ status: 'failed', failure: messageOf(cause) });
    }
    this.#running = null;
    if (this.snapshot().status === 'running') this.update({ status: 'stopped' });
    this.update({ test: null });
  }

  stop(): void {
    this.#running?.abort();
  }
}
