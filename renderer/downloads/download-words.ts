import { formatBytes } from '../../protocol/bytes.js';
import type { Download } from '../../protocol/downloads.js';
import { formatPercent } from '../shell/format.js';

const words = {
  queued: 'Waits for its turn',
  downloading: 'Downloading',
  paused: 'Paused',
  verifying: 'Checking that every byte is right',
  done: 'Ready to use',
  failed: 'Failed',
  waiting: 'Tries again soon',
  waitingFor: (time: string) => `Tries again in ${time}`,
  received: (received: string, total: string) => `${received} of ${total}`,
  speed: (bytes: string) => `${bytes}/s`,
  left: (time: string) => `${time} left`,
  soon: 'less than a minute left',
  seconds: (count: number) => (count === 1 ? '1 second' : `${count} seconds`),
  minutes: (minutes: number) => `${minutes} min`,
  hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
  days: (days: number, hours: number) => `${days} d ${hours} h`,
};

/** A time that is long to wait for, from a minute up: "2 min", "1 h 5 min", "2 d 3 h". */
function longTime(seconds: number): string {
  const minutes = Math.max(Math.round(seconds / 60), 1);
  if (minutes < 60) return words.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return words.hours(hours, minutes % 60);
  return words.days(Math.floor(hours / 24), hours % 24);
}

/** "less than a minute left", "2 min left" */
export function timeLeft(seconds: number): string {
  return seconds < 60 ? words.soon : words.left(longTime(seconds));
}

/** How a download stands, in words. `now` in Unix milliseconds. */
export function downloadState(download: Download, now: number): string {
  const { status, retry_at } = download;
  if (status !== 'waiting') return words[status];
  if (retry_at === null) return words.waiting;
  const seconds = Math.ceil(retry_at - now / 1000);
  if (seconds <= 0) return words.waiting;
  return words.waitingFor(seconds < 60 ? words.seconds(seconds) : longTime(seconds));
}

/** How far it has come, 0..1; null where its size is not known. */
export function downloadFraction({ received_bytes, total_bytes }: Download): number | null {
  return total_bytes > 0 ? Math.min(received_bytes / total_bytes, 1) : null;
}

/** Its figures, each by itself: what has come, how fast, how long it takes yet. */
export function downloadFigures(download: Download): string[] {
  const { status, received_bytes, total_bytes, bytes_per_second, seconds_left } = download;
  const fraction = downloadFraction(download);
  if (fraction === null) return [];
  if (status === 'done') return [formatBytes(total_bytes)];
  const figures = [words.received(formatBytes(received_bytes), formatBytes(total_bytes))];
  if (status !== 'verifying') figures.push(formatPercent(fraction));
  if (status === 'downloading' && bytes_per_second !== null) {
    figures.push(words.speed(formatBytes(bytes_per_second)));
    if (seconds_left !== null) figures.push(timeLeft(seconds_left));
  }
  return figures;
}

export type DownloadAction = 'pause' | 'resume' | 'retry' | 'cancel' | 'use' | 'forget';

/** What can be done with it, the most wanted first. */
export function downloadActions({ status, model_id }: Download): DownloadAction[] {
  switch (status) {
    case 'queued':
    case 'downloading':
      return ['pause', 'cancel'];
    case 'waiting':
      return ['retry', 'pause', 'cancel'];
    case 'failed':
      return ['retry', 'cancel'];
    case 'paused':
      return ['resume', 'cancel'];
    case 'verifying':
      return ['cancel'];
    case 'done':
      return model_id === null ? ['forget'] : ['use', 'forget'];
  }
}

/** Whether it goes on by itself. */
export function isUnderWay({ status }: Download): boolean {
  return status !== 'done' && status !== 'failed' && status !== 'paused';
}
