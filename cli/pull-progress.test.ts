import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Download } from '../protocol/downloads.js';
import { duration, PullProgress } from './pull-progress.js';

const download = (fields: Partial<Download>): Download => ({
  ...{
    id: 'dl_1',
    repo: 'o/n',
    revision: 'main',
    name: 'm',
    quantization: null,
    files: ['m.gguf'],
  },
  ...{ status: 'downloading', total_bytes: 4e9, received_bytes: 1e9, bytes_per_second: 5e7 },
  ...{ seconds_left: 60, retry_at: null, reason: null, model_id: null },
  ...fields,
});

describe('in words', () => {
  it.each([
    [59, '59 s'],
    [60, '1 min'],
    [3_599, '1 h 0 min'],
    [7_500, '2 h 5 min'],
  ])('%d seconds', (seconds, expected) => {
    expect(duration(seconds)).toBe(expected);
  });
});

it('without a terminal it is told in lines, and a failure once', () => {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const progress = new PullProgress(stream);
  progress.show(download({}));
  progress.show(download({ status: 'waiting', reason: 'The hub is away.' }));
  progress.show(download({ status: 'waiting', reason: 'The hub is away.' }));
  progress.stop();
  expect(text).toContain('25% 1.0 GB of 4.0 GB');
  expect(text.match(/The hub is away\./g)).toHaveLength(1);
});
