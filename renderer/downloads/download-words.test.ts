import { describe, expect, it } from 'vitest';
import { type Download, downloadStatusSchema } from '../../protocol/downloads.js';
import {
  downloadActions,
  downloadFigures,
  downloadFraction,
  downloadState,
  isUnderWay,
  timeLeft,
} from './download-words.js';

const download = (changes: Partial<Download> = {}): Download => ({
  ...{ id: 'd', repo: 'owner/name', revision: 'r', name: 'n', quantization: 'Q4_K_M' },
  ...{ files: ['n.gguf'], status: 'downloading', total_bytes: 2_500_000_000 },
  ...{ received_bytes: 1_100_000_000, bytes_per_second: 12_400_000, seconds_left: 113 },
  ...{ retry_at: null, reason: null, model_id: null },
  ...changes,
});

it.each([
  [0, 'less than a minute left'],
  [59, 'less than a minute left'],
  [60, '1 min left'],
  [113, '2 min left'],
  [3599, '1 h 0 min left'],
  [3900, '1 h 5 min left'],
  [200_000, '2 d 7 h left'],
])('timeLeft(%d)', (seconds, text) => {
  expect(timeLeft(seconds)).toBe(text);
});

describe('downloadFigures', () => {
  it('tells what came, how fast, and how long it takes', () => {
    expect(downloadFigures(download())).toEqual([
      '1.1 GB of 2.5 GB',
      '44 %',
      '12 MB/s',
      '2 min left',
    ]);
  });

  it('tells no speed of one that rests or is checked', () => {
    expect(downloadFigures(download({ status: 'paused' }))).toEqual(['1.1 GB of 2.5 GB', '44 %']);
    expect(downloadFigures(download({ bytes_per_second: null }))).toHaveLength(2);
    expect(downloadFigures(download({ status: 'verifying' }))).toEqual(['1.1 GB of 2.5 GB']);
    expect(downloadFigures(download({ status: 'done' }))).toEqual(['2.5 GB']);
  });

  it('tells nothing while the size is not known', () => {
    expect(downloadFigures(download({ total_bytes: 0 }))).toEqual([]);
    expect(downloadFraction(download({ total_bytes: 0 }))).toBeNull();
    expect(downloadFraction(download({ received_bytes: 9e12 }))).toBe(1);
  });
});

it('counts down to the next try', () => {
  const waiting = download({ status: 'waiting', retry_at: 100 });
  expect(downloadState(waiting, 60_500)).toBe('Tries again in 40 seconds');
  expect(downloadState(waiting, 99_200)).toBe('Tries again in 1 second');
  expect(downloadState(waiting, 100_000)).toBe('Tries again soon');
  expect(downloadState(download({ status: 'waiting', retry_at: 700 }), 0)).toBe(
    'Tries again in 12 min',
  );
});

it('has words and a way on for every state', () => {
  for (const status of downloadStatusSchema.options) {
    expect(downloadState(download({ status }), 0)).toMatch(/\w/);
    expect(downloadActions(download({ status }))).not.toEqual([]);
  }
  expect(downloadActions(download({ status: 'done', model_id: 'a' }))[0]).toBe('use');
});

it('knows which of them go on by themselves', () => {
  const going = downloadStatusSchema.options.filter((status) => isUnderWay(download({ status })));
  expect(going).toEqual(['queued', 'downloading', 'waiting', 'verifying']);
});
