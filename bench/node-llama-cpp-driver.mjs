// Runs in a process of its own: node node-llama-cpp-driver.mjs PROJECT TASK. Draws tokens of several sequences at once with
// the package installed in PROJECT and prints one line of JSON (see node-llama-cpp.ts).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [project = '', taskFile = ''] = process.argv.slice(2);
const entry = path.join(project, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
const { getLlama } = await import(pathToFileURL(entry).href);

/** @typedef {{ text: string, output: number }} Prompt */
/** @type {{ model: string, context: number, threads: number, waves: Prompt[][], warm: Prompt[] }} */
const task = JSON.parse(readFileSync(taskFile, 'utf8'));

const llama = await getLlama({ gpu: false, build: 'never', maxThreads: task.threads });
const model = await llama.loadModel({ modelPath: task.model });
const n = task.warm.length;
const context = await model.createContext({
  ...{ sequences: n, contextSize: task.context, threads: task.threads, batchSize: 2048 },
});
const sequences = Array.from({ length: n }, () => context.getSequence());

await Promise.all(task.warm.map((prompt, i) => generate(i, prompt)));
const cpu = process.cpuUsage();
const began = performance.now();
const answers = [];
for (const wave of task.waves) {
  answers.push(...(await Promise.all(wave.map((prompt, i) => generate(i, prompt)))));
}
const wallMs = performance.now() - began;
const { user, system } = process.cpuUsage(cpu);
const cpuMs = (user + system) / 1000;
console.log(JSON.stringify({ wallMs, cpuMs, rssBytes: process.memoryUsage.rss(), answers }));
process.exit(0);

/**
 * @param {number} i
 * @param {Prompt} prompt
 */
async function generate(i, { text, output }) {
  const sequence = sequences[i];
  await sequence.clearHistory();
  const tokens = model.tokenize(text);
  const begunAt = performance.now();
  /** @type {number[]} */
  const arrivals = [];
  for await (const _ of sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true })) {
    arrivals.push(performance.now() - begunAt);
    if (arrivals.length === output) break;
  }
  return {
    ...{ begunAt, arrivals, endMs: performance.now() - begunAt, failure: null },
    counts: { prompt: tokens.length, output: arrivals.length, cached: null },
  };
}
