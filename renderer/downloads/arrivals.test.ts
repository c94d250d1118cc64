import { expect, it } from 'vitest';
import type { Download, DownloadStatus } from '../../protocol/downloads.js';
import { arrivals } from './arrivals.js';

const download = (id: string, status: DownloadStatus): Download => ({
  ...{ id, repo: 'owner/name', revision: 'r', name: id, quantization: null, files: [], status },
  ...{ total_bytes: 1, received_bytes: 1, bytes_per_second: null, seconds_left: null },
  ...{ retry_at: null, reason: null, model_id: null },
});

it('tells of those that have just ended, once', () => {
  const before = [download('a', 'verifying'), download('b', 'downloading'), download('c', 'done')];
  const after = [download('a', 'done'), download('b', 'failed'), download('c', 'done')];
  expect(arrivals(before, after).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(arrivals(after, after)).toEqual([]);
});

it('tells nothing of what was there before anybody looked', () => {
  expect(arrivals(null, [download('a', 'done')])).toEqual([]);
});

it('tells of one that has ended at once', () => {
  expect(arrivals([], [download('a', 'failed')])).toHaveLength(1);
});

it('tells of one that fails again after another try', () => {
  const failed = [download('a', 'failed')];
  expect(arrivals(failed, [download('a', 'downloading')])).toEqual([]);
  expect(arrivals([download('a', 'downloading')], failed)).toHaveLength(1);
});
