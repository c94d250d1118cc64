/** How far a download is, for people: a bar on a terminal, and a line now and then elsewhere. */
import { SingleBar } from 'cli-progress';
import { formatBytes } from '../protocol/bytes.js';
import type { Download } from '../protocol/downloads.js';

/** Milliseconds between two lines where there is no terminal: enough for a log, and a sign of life. */
const LINE_MS = 5_000;

export class PullProgress {
  private bar: SingleBar | null = null;
  private told = '';

  constructor(private readonly stream: NodeJS.WritableStream & { isTTY?: boolean }) {}

  show(download: Download): void {
    if (this.bar === null) {
      this.bar = new SingleBar({
        ...{ stream: this.stream, hideCursor: true, clearOnComplete: true, fps: 10, barsize: 24 },
        ...{ barCompleteChar: '█', barIncompleteChar: '░', linewrap: false },
        ...{ noTTYOutput: true, notTTYSchedule: LINE_MS, format: '{bar} {percentage}% {news}' },
      });
      this.bar.start(Math.max(1, download.total_bytes), 0, { news: '' });
    }
    this.bar.update(download.received_bytes, { news: newsOf(download) });
    if (download.status === 'waiting') this.say(download.reason ?? '');
  }

  stop(): void {
    this.bar?.stop();
    this.bar = null;
  }

  /** A sentence of its own, once, above the bar. */
  private say(sentence: string): void {
    if (sentence === this.told || sentence === '') return;
    this.told = sentence;
    this.stop();
    this.stream.write(`${sentence}\n`);
  }
}

function newsOf(download: Download): string {
  const { status, received_bytes, total_bytes, bytes_per_second, seconds_left } = download;
  const part = `${formatBytes(received_bytes)} of ${formatBytes(total_bytes)}`;
  if (status === 'verifying') return `${part}, verifying`;
  if (status === 'waiting') return `${part}, waiting for the next try`;
  if (bytes_per_second === null || seconds_left === null) return part;
  return `${part}, ${formatBytes(bytes_per_second)}/s, ${duration(seconds_left)} left`;
}

/** Such as "2 h 5 min". */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
