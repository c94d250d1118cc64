// Preloaded into the processes of a server under measurement (node --import): how late their event loops were, written
// down when they end. The program itself knows nothing of it.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two looks; each value recorded is that plus the lag. */
const RESOLUTION = 1;
const folder = process.env.PILOTLIGHT_BENCH_LAG_DIR;

if (folder) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  // Loading a model is not what is asked about: counting starts anew with the first signal.
  process.on('SIGUSR2', () => histogram.reset());
  process.on('exit', () => {
    const lag = (/** @type {number} */ ns) => Math.max(0, ns / 1e6 - RESOLUTION);
    const name = path.basename(process.argv[1] ?? 'node', '.js');
    const figures = {
      p50_ms: lag(histogram.percentile(50)),
      p99_ms: lag(histogram.percentile(99)),
      max_ms: lag(histogram.max),
    };
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(figures));
  });
}
