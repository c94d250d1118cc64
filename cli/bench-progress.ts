/** How far a level is: a bar on a terminal, nothing elsewhere. */
import { SingleBar } from 'cli-progress';
import type { LevelPlan } from '../load/run-level.js';

export class BenchProgress {
  private bar: SingleBar | null = null;
  private until: LevelPlan['until'] = { requests: 0 };
  private begunAt = 0;
  private answers = 0;
  private troubles = 0;
  private outputs = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly stream: NodeJS.WritableStream = process.stderr) {}

  /** The level warms up. */
  start({ until, concurrency }: LevelPlan): void {
    this.until = until;
    this.answers = 0;
    this.troubles = 0;
    this.outputs = 0;
    this.begunAt = 0;
    this.bar = new SingleBar({
      ...{ stream: this.stream, clearOnComplete: true, hideCursor: true, fps: 10, barsize: 24 },
      ...{ barCompleteChar: '█', barIncompleteChar: '░' },
      format: `${concurrency} at once {bar} {news}`,
    });
    const total = 'requests' in until ? until.requests : until.durationMs;
    this.bar.start(total, 0, { news: 'warming up' });
    this.timer = setInterval(() => this.draw(), 100);
  }

  /** What is measured begins. */
  begin(): void {
    this.begunAt = performance.now();
  }

  /** A piece of output. Called for each, so it only counts. */
  output(): void {
    this.outputs++;
  }

  answer(isFine: boolean): void {
    this.answers++;
    if (!isFine) this.troubles++;
  }

  stop(): void {
    clearInterval(this.timer);
    this.bar?.stop();
    this.bar = null;
  }

  private draw(): void {
    if (this.begunAt === 0) return;
    const elapsedMs = performance.now() - this.begunAt;
    const value = 'requests' in this.until ? this.answers : elapsedMs;
    const speed = ((this.outputs / elapsedMs) * 1000).toFixed(0);
    const news = [
      'requests' in this.until
        ? `${this.answers} of ${this.until.requests}`
        : `${this.answers} answers`,
      `${speed} tokens/s`,
      ...(this.troubles > 0 ? [`${this.troubles} not in order`] : []),
    ].join(', ');
    const { bar } = this;
    bar?.update(Math.min(value, bar.getTotal()), { news });
  }
}
