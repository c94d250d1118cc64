/**
 * `pilotlight bench`: puts a server under load and tells how fast it answered and whether it kept to its protocol. The
 * table goes to standard output, or to the other one where the JSON goes there; all else goes to the other one.
 */
import { randomBytes } from 'node:crypto';
import { access, constants, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AddressError, type Api, apiOf, type Protocol } from '../load/api.js';
import { CannotRun, check, discover, inWords } from '../load/discover.js';
import { type RequestShape, wordPrompt, wordsFor } from '../load/prompts.js';
import { EXIT, exitStatus, PROTOCOL_NAMES, type Report, remarks } from '../load/report.js';
import { reportPage } from '../load/report-page.js';
import { levelName, reportTable } from '../load/report-table.js';
import { type LevelPlan, runLevel } from '../load/run-level.js';
import { summarize } from '../load/summary.js';
import { programVersion } from '../server/paths.js';
import { BenchProgress } from './bench-progress.js';
import { stopOnSignal } from './stop-on-signal.js';

export interface BenchOptions {
  protocol: Protocol | 'auto';
  model?: string;
  apiKey?: string;
  concurrency: number[];
  requests?: number;
  duration?: number;
  rate?: number;
  prompt?: string;
  promptTokens?: number;
  maxTokens: number;
  warmUp?: number;
  /** Seconds. */
  timeout: number;
  body?: Record<string, unknown>;
  usage: boolean;
  json?: string;
  html?: string;
}

const PROMPT_TOKENS = 64;
/** Requests of a level by default: so many for each that runs at the same time, and at least so many. */
const REQUESTS = { each: 4, least: 16 };
/** The request that tries the server is short, whatever is measured then. */
const CHECK = { words: 200, tokens: 16 };
const STDOUT = '-';

/** Sets the exit status of the process; see EXIT. */
export async function bench(url: string, options: BenchOptions): Promise<void> {
  const stop = new AbortController();
  const forget = stopOnSignal(stop, EXIT.interrupted);
  try {
    const api = apiOf(url, keyOf(options));
    await checkFiles(options);
    const report = await measure(api, options, stop.signal);
    process.exitCode = exitStatus(report);
    await tell(report, options);
  } catch (error) {
    const isExpected =
      error instanceof CannotRun || error instanceof AddressError || error instanceof FileError;
    if (!isExpected) throw error;
    console.error(error.message);
    process.exitCode = EXIT.notRun;
  } finally {
    forget();
  }
}

/** What nobody set is often an empty variable. */
function keyOf({ apiKey }: BenchOptions): string | null {
  const { PILOTLIGHT_API_KEY, OPENAI_API_KEY } = process.env;
  const key = apiKey ?? (PILOTLIGHT_API_KEY || OPENAI_API_KEY || null);
  if (key !== null && !/^[\x21-\x7e]+$/.test(key)) {
    throw new CannotRun('The API key holds characters that no header can carry.');
  }
  return key;
}

async function measure(api: Api, options: BenchOptions, signal: AbortSignal): Promise<Report> {
  const protocol = options.protocol === 'auto' ? null : options.protocol;
  const found = await discover(api, { protocol, model: options.model ?? null }, signal);
  const { maxTokens, usage, body: fields = {} } = options;
  const shape: RequestShape = { ...found, maxTokens, usage, fields };
  const report = newReport(api, shape, options);
  console.error(
    `${api.name}: ${PROTOCOL_NAMES[shape.protocol]}, model ${shape.model ?? 'of the server'}`,
  );
  const timeoutMs = options.timeout * 1000;
  const prompt = await prompting(api, shape, options, { signal, timeoutMs });
  const progress = new BenchProgress();
  for (const concurrency of options.concurrency) {
    if (signal.aborted) break;
    const plan: LevelPlan = {
      ...{ concurrency, shape, prompt, timeoutMs },
      until: untilOf(options, concurrency),
      rate: options.rate ?? null,
      warmUp: options.warmUp ?? concurrency,
    };
    progress.start(plan);
    const level = await runLevel(api, plan, {
      ...{ signal, onBegin: () => progress.begin(), onOutput: () => progress.output() },
      onAnswer: ({ failure, violations }) =>
        progress.answer(failure === null && violations.length === 0),
    });
    progress.stop();
    report.levels.push(summarize(level, shape.protocol === 'typed'));
    if (level.stoppedBy !== null) {
      report.ended = 'stopped';
      report.reason = inWords(api, shape, level.stoppedBy);
      break;
    }
  }
  if (signal.aborted) report.ended = 'interrupted';
  return report;
}

/** Tries the server with the first prompt, and learns from it how many tokens a word takes. */
async function prompting(
  api: Api,
  shape: RequestShape,
  { prompt, promptTokens = PROMPT_TOKENS }: BenchOptions,
  options: { signal: AbortSignal; timeoutMs: number },
): Promise<LevelPlan['prompt']> {
  // Another one in each run, since a server may keep prompts for days.
  const run = randomBytes(3).toString('hex');
  const made = (mark: string, n_words: number) => prompt ?? wordPrompt(`${run}/${mark}`, n_words);
  const n_first = Math.min(wordsFor(promptTokens, null), CHECK.words);
  const short = { ...shape, maxTokens: Math.min(shape.maxTokens, CHECK.tokens) };
  const n_tokens = await check(api, short, made('check', n_first), options);
  const counted = n_tokens === null ? null : { n_words: n_first, n_tokens };
  const n_words = wordsFor(promptTokens, counted);
  return (mark) => made(mark, n_words);
}

function untilOf({ requests, duration }: BenchOptions, concurrency: number): LevelPlan['until'] {
  if (duration !== undefined) return { durationMs: duration * 1000 };
  return { requests: requests ?? Math.max(REQUESTS.least, REQUESTS.each * concurrency) };
}

function newReport(api: Api, { protocol, model }: RequestShape, options: BenchOptions): Report {
  const { prompt, promptTokens, maxTokens, requests, duration, rate, warmUp, timeout } = options;
  return {
    ...{ tool: 'pilotlight bench', version: programVersion(), date: new Date().toISOString() },
    ...{ url: api.name, protocol, model },
    settings: {
      prompt: prompt ?? null,
      prompt_tokens: prompt === undefined ? (promptTokens ?? PROMPT_TOKENS) : null,
      max_tokens: maxTokens,
      requests: requests ?? null,
      duration_s: duration ?? null,
      rate_per_s: rate ?? null,
      warm_up: warmUp ?? null,
      timeout_s: timeout,
    },
    ...{ ended: 'done', reason: null, levels: [] },
  };
}

/** A file that cannot be written is told before minutes of load, as far as it can be known. */
class FileError extends Error {
  override readonly name = 'FileError';
}

async function checkFiles({ json, html }: BenchOptions): Promise<void> {
  for (const file of [json, html]) {
    if (file === undefined || file === STDOUT) continue;
    const folder = path.dirname(path.resolve(file));
    const isFolder = (await stat(file).catch(() => null))?.isDirectory() ?? false;
    if (isFolder) throw new FileError(`${file} is a folder; expected a file to write.`);
    const isWritable = await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (!isWritable)
      throw new FileError(`${file} cannot be written: there is no writing in ${folder}.`);
  }
}

/** The table first: it is on the screen whatever becomes of the files. */
async function tell(report: Report, { json, html }: BenchOptions): Promise<void> {
  const words = json === STDOUT ? console.error : console.log;
  if (report.levels.length > 0) words(`\n${reportTable(report)}`);
  for (const level of report.levels) {
    for (const { type, kind, message, requests } of level.troubles) {
      const name = type === 'failed' ? 'failed' : 'protocol error';
      console.error(`${levelName(level)}: ${requests} × ${name}, ${kind}: ${message}`);
    }
  }
  for (const remark of remarks(report)) console.error(remark);
  const text = `${JSON.stringify(report, null, 2)}\n`;
  if (json === STDOUT) process.stdout.write(text);
  else if (json !== undefined) await write(json, text);
  if (html !== undefined) await write(html, reportPage(report));
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new FileError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
