/** Models on their way from the hub in the tray's menu. */
import type { Download } from '../protocol/downloads.js';
import type { ServerState } from '../protocol/models.js';
import { item, type MenuEntry } from './menu-entry.js';

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
    ...(rest > 0 ? [item('more-downloads', `${rest} more downloads`, { type: 'open' })] : []),
  ];
}

function downloadNote(download: Download): string {
  switch (download.status) {
    case 'queued':
      return 'waits for its turn';
    case 'downloading':
      return `downloading ${percent(download)}`;
    case 'waiting':
      return `interrupted at ${percent(download)}, tries again`;
    case 'paused':
      return `paused at ${percent(download)}`;
    case 'verifying':
      return 'downloaded, being verified';
    case 'failed':
      return download.reason ?? 'could not be downloaded';
    case 'done':
      return 'downloaded';
  }
}

function percent({ received_bytes, total_bytes }: Download): string {
  const share = total_bytes > 0 ? received_bytes / total_bytes : 0;
  return `${Math.floor(Math.min(Math.max(share, 0), 1) * 100)} %`;
}
