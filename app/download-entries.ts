/** Models on their way from the hub in the tray's menu. */
import type { Download } from '../protocol/downloads.js';
import type { ServerState } from '../protocol/models.js';
import { item, type MenuEntry } from './menu-entry.js';
import { say } from './words.js';

/** Downloads with a line of their own. */
export const DOWNLOADS_LISTED = 5;

/** A line for each that is not done; each opens the window, where it can be paused and cancelled. */
export function downloadEntries({ downloads }: Pick<ServerState, 'downloads'>): MenuEntry[] {
  const open = downloads.filter(({ status }) => status !== 'done');
  const rest = open.length - DOWNLOADS_LISTED;
  return [
    ...open
      .slice(0, DOWNLOADS_LISTED)
      .map((download) =>
        item(
          `download:${download.id}`,
          download.name,
          { type: 'open' },
          { note: downloadNote(download) },
        ),
      ),
    ...(rest > 0
      ? [item('more-downloads', say('more_downloads', { n: rest }), { type: 'open' })]
      : []),
  ];
}

function downloadNote(download: Download): string {
  switch (download.status) {
    case 'queued':
      return say('download_queued');
    case 'downloading':
      return say('download_running', { percent: percent(download) });
    case 'waiting':
      return say('download_waiting', { percent: percent(download) });
    case 'paused':
      return say('download_paused', { percent: percent(download) });
    case 'verifying':
      return say('download_verifying');
    case 'failed':
      return download.reason ?? say('download_failed');
    case 'done':
      return say('download_done');
  }
}

function percent({ received_bytes, total_bytes }: Download): number {
  const share = total_bytes > 0 ? received_bytes / total_bytes : 0;
  return Math.floor(Math.min(Math.max(share, 0), 1) * 100);
}
