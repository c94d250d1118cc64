import { describe, expect, it } from 'vitest';
import type { Download } from '../protocol/downloads.js';
import { DOWNLOADS_LISTED, downloadEntries } from './download-entries.js';
import { testDownload as download } from './test-desktop.js';

const labels = (...downloads: Download[]) =>
  downloadEntries({ downloads }).map((entry) => entry.kind === 'item' && entry.label);

describe('downloadEntries', () => {
  it.each([
    [{}, 'qwen-Q4_K_M — downloading 43 %'],
    [{ total_bytes: 0 }, 'qwen-Q4_K_M — downloading 0 %'],
    [{ received_bytes: 2_000 }, 'qwen-Q4_K_M — downloading 100 %'],
    [{ status: 'queued' }, 'qwen-Q4_K_M — waits for its turn'],
    [{ status: 'paused' }, 'qwen-Q4_K_M — paused at 43 %'],
    [{ status: 'waiting' }, 'qwen-Q4_K_M — interrupted at 43 %, tries again'],
    [{ status: 'verifying' }, 'qwen-Q4_K_M — downloaded, being verified'],
    [{ status: 'failed', reason: 'The disk is full.' }, 'qwen-Q4_K_M — The disk is full.'],
    [{ status: 'failed' }, 'qwen-Q4_K_M — could not be downloaded'],
  ] satisfies [Partial<Download>, string][])('%j is "%s"', (changes, label) => {
    expect(labels(download('qwen', changes))).toEqual([label]);
  });

  it('has no line for what is done, and one for all beyond a handful', () => {
    expect(labels(download('a', { status: 'done' }))).toEqual([]);
    const many = Array.from({ length: DOWNLOADS_LISTED + 3 }, (_, index) => download(`d${index}`));
    expect(labels(...many)).toHaveLength(DOWNLOADS_LISTED + 1);
    expect(labels(...many).at(-1)).toBe('3 more downloads');
  });
});
