import type { Download } from '../../protocol/downloads.js';
import { t } from '../i18n/i18n.js';
import { formatBytes, formatPercent } from '../shell/format.js';

/** A time that is long to wait for, from a minute up: "2 min", "1 h 5 min", "2 d 3 h". */
export function longTime(seconds: number): string {
  const minutes = Math.max(Math.round(seconds / 60), 1);
  if (minutes < 60) return t('downloads.time_minutes', { minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t('downloads.time_hours', { hours, minutes: minutes % 60 });
  return t('downloads.time_days', { days: Math.floor(hours / 24), hours: hours % 24 });
}

/** "less than a minute left", "2 min left" */
export function timeLeft(seconds: number): string {
  return seconds < 60 ? t('downloads.left_soon') : t('downloads.left', { time: longTime(seconds) });
}

/** How a download stands, in words. `now` in Unix milliseconds. */
export function downloadState(download: Download, now: number): string {
  const { status, retry_at } = download;
  if (status !== 'waiting') return t(`downloads.state_${status}`);
  if (retry_at === null) return t('downloads.state_waiting');
  const seconds = Math.ceil(retry_at - now / 1000);
  if (seconds <= 0) return t('downloads.state_waiting');
  return t('downloads.state_waiting_for', {
    time: seconds < 60 ? t('downloads.time_seconds', { n: seconds }) : longTime(seconds),
  });
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
  const figures = [
    t('downloads.received', {
      received: formatBytes(received_bytes),
      total: formatBytes(total_bytes),
    }),
  ];
  if (status !== 'verifying') figures.push(formatPercent(fraction));
  if (status === 'downloading' && bytes_per_second !== null) {
    figures.push(t('downloads.speed', { bytes: formatBytes(bytes_per_second) }));
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
