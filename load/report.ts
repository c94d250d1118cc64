/** A whole run, as `--json` writes it; table, page and exit status are made of it. Pure. */
import type { Protocol } from './api.js';
import type { LevelSummary } from './summary.js';

export interface Report {
  tool: 'pilotlight bench';
  version: string;
  /** When it began, ISO 8601. */
  date: string;
  /** Without what is secret. */
  url: string;
  protocol: Protocol;
  /** Null: the server chose. */
  model: string | null;
  settings: {
    /** Null: each prompt is another one of about `prompt_tokens`. */
    prompt: string | null;
    prompt_tokens: number | null;
    max_tokens: number;
    requests: number | null;
    duration_s: number | null;
    rate_per_s: number | null;
    warm_up: number | null;
    timeout_s: number;
  };
  /** `stopped`: a failure showed that no further request could succeed; `interrupted`: by the person. */
  ended: 'done' | 'interrupted' | 'stopped';
  /** Of `stopped`, for people; else null. */
  reason: string | null;
  levels: LevelSummary[];
}

/** docs/bench.md tells them. */
export const EXIT = {
  fine: 0,
  notRun: 1,
  protocolErrors: 2,
  failures: 3,
  interrupted: 130,
} as const;

/** The gravest of what there is to tell: a violation of the protocol is what nobody must overlook. */
export function exitStatus({ levels, ended }: Report): number {
  if (levels.some(({ protocol_errors }) => protocol_errors > 0)) return EXIT.protocolErrors;
  if (ended === 'interrupted') return EXIT.interrupted;
  if (ended === 'stopped') return EXIT.notRun;
  return levels.some(({ failed }) => failed > 0) ? EXIT.failures : EXIT.fine;
}

export const PROTOCOL_NAMES: Record<Protocol, string> = {
  typed: 'typed events',
  chat: 'chat completions',
  completions: 'completions',
};

/** What the numbers do not say by themselves. */
export function remarks({ levels, ended, reason, settings }: Report): string[] {
  const some = (test: (level: LevelSummary) => boolean) => levels.some(test);
  const sum = (value: (level: LevelSummary) => number) =>
    levels.reduce((total, level) => total + value(level), 0);
  const busy = sum(({ busy_answers }) => busy_answers);
  const late = sum(({ late }) => late);
  const unfinished = sum(({ unfinished }) => unfinished);
  return [
    ...(ended === 'interrupted' ? ['Ended early, by you; this is what was done until then.'] : []),
    ...(reason === null ? [] : [`Ended early. ${reason}`]),
    ...(unfinished > 0
      ? [`Running requests that were cut off, and are not counted: ${unfinished}.`]
      : []),
    ...(some(({ counted_by }) => counted_by === 'estimate')
      ? [
          'The server gave no counts for some answers: tokens and tokens/s are an estimate there, one for each event with text.',
        ]
      : []),
    ...(busy > 0
      ? [`Answers that the server is too busy (429): ${busy}. Their requests were sent again.`]
      : []),
    ...(late > 0
      ? [
          `Requests that began late, all places being taken: ${late}. The server does not keep this rate.`,
        ]
      : []),
    ...(some(({ client_cpu }) => client_cpu > 0.8)
      ? [
          'This client took most of a processor core: the numbers may be its limit, not the server’s.',
        ]
      : []),
    ...(settings.prompt !== null
      ? ['Every request had the same prompt, which a server may keep computed.']
      : []),
  ];
}
