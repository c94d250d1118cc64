/** Finds out what a server is, before it is put under load: its protocol, its model, and whether it answers at all. */
import { z } from 'zod';
import { type Api, type Protocol, routeOf, targetOf } from './api.js';
import { ask, type Failure } from './ask.js';
import { jsonOf } from './event-data.js';
import { exchange } from './exchange.js';
import { followerOf } from './follower.js';
import { printable } from './printable.js';
import { type RequestShape, requestBody } from './prompts.js';
import { RETRIES, retryDelay, sleep } from './retry.js';
import { serverError } from './server-error.js';

/** Nothing can be measured. The sentence is for the person, and says what to do. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

export interface Found {
  protocol: Protocol;
  /** To be named in requests; null: the server takes requests without. */
  model: string | null;
}

const healthSchema = z.object({
  name: z.literal('pilotlight'),
  model: z.string().nullish(),
});
const modelsSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Asked before anything else; a server that is so slow is not measured but waited for. */
const LOOK_MS = 10_000;

interface Wanted {
  /** Null: typed events of a Pilotlight, chat completions of any other server. */
  protocol: Protocol | null;
  /** Null: the current model of a Pilotlight, the first that any other server lists. */
  model: string | null;
}

/** @throws CannotRun */
export async function discover(api: Api, wanted: Wanted, signal: AbortSignal): Promise<Found> {
  const health = await look(api, routeOf({ ...api, base: rootOf(api) }, '/health').path, signal);
  const ours = healthSchema.safeParse(health.value);
  const protocol = wanted.protocol ?? api.protocol ?? (ours.success ? 'typed' : 'chat');
  if (wanted.model !== null) return { protocol, model: wanted.model };
  if (ours.success && ours.data.model) return { protocol, model: ours.data.model };
  if (ours.success && ours.data.model === null) {
    throw new CannotRun(`The server at ${api.name} has no model: add one to its models folder.`);
  }
  const list = await look(api, routeOf(api, '/models').path, signal);
  const models = modelsSchema.safeParse(list.value);
  return { protocol, model: (models.success && models.data.data[0]?.id) || null };
}

/** Where the server's own routes are, beside those of the API. */
const rootOf = ({ base }: Api) => base.replace(/\/v1$/, '');

async function look(api: Api, path: string, signal: AbortSignal): Promise<{ value: unknown }> {
  const target = { ...targetOf(api, 'chat'), path };
  const { end, response } = await exchange(target, null, () => false, {
    ...{ signal, timeoutMs: LOOK_MS },
  });
  if (end.kind === 'unreachable') throw new CannotRun(unreachable(api, end.code, end.message));
  if (end.kind === 'foreign') throw new CannotRun(foreign(api, end.problem));
  if (response.status === 401 || response.status === 403) {
    const { message } = serverError(response.text, response.header('content-type'));
    throw new CannotRun(noEntry(api, response.status, printable(message, api.key)));
  }
  if (response.status !== 200) return { value: undefined };
  return { value: jsonOf(response.text) };
}

/**
 * One short request, not measured: loads the model, and tells whether there is anything to measure. A stream that breaks
 * or is not as it should be is for the measurement to tell.
 * @returns tokens of the prompt as the server counts them; null: it does not
 * @throws CannotRun
 */
export async function check(
  api: Api,
  shape: RequestShape,
  prompt: string,
  options: { signal: AbortSignal; timeoutMs: number },
): Promise<number | null> {
  for (let tries = 0; ; tries++) {
    const body = requestBody(shape, prompt);
    const follower = followerOf(shape.protocol, body);
    const { failure, counts } = await ask(targetOf(api, shape.protocol), body, follower, options);
    const isRunning = failure === null || ['broken', 'incomplete'].includes(failure.type);
    if (options.signal.aborted || isRunning) return counts?.prompt ?? null;
    const delayMs = retryDelay(failure);
    if (delayMs === null || tries === RETRIES) throw new CannotRun(inWords(api, shape, failure));
    await sleep(delayMs, options.signal);
  }
}

/** A failure that every further request would have as well: a sentence that says what to do. */
export function inWords(api: Api, { protocol, model }: RequestShape, failure: Failure): string {
  const { type, status, message, code } = failure;
  if (type === 'unreachable') return unreachable(api, code, message);
  if (type === 'foreign') return foreign(api, message);
  if (type === 'timeout') return `${api.name} did not answer in time (--timeout): ${message}.`;
  if (status === 401 || status === 403) return noEntry(api, status, message);
  if (status === 404 && /model/i.test(`${code} ${message}`)) {
    return `The server at ${api.name} has no model "${model ?? ''}" (${message}). Name one of its own with --model.`;
  }
  if (status === 404 || status === 405) {
    return foreign(api, `it has no ${targetOf(api, protocol).path} (${message})`);
  }
  return `The server at ${api.name} cannot answer: ${message}`;
}

/** Whether another request would fail in the same way. */
export function isFinal({ type, status }: Failure): boolean {
  const isRefused = type === 'refused' && status >= 400 && status < 500;
  return (
    type === 'unreachable' ||
    type === 'foreign' ||
    (isRefused && ![408, 409, 425, 429].includes(status))
  );
}

function unreachable({ name, host }: Api, code: string, message: string): string {
  if (code === 'ECONNREFUSED') {
    return `Nobody listens at ${name}: start the server ("pilotlight serve"), or give the URL where it is.`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `There is no host called ${host}.`;
  return `${name} cannot be reached: ${printable(message || code)}.`;
}

function foreign({ name }: Api, why: string): string {
  return `${name} is not a server of this kind: ${why}. Expected is one with Pilotlight's or OpenAI's protocol.`;
}

function noEntry({ name, key }: Api, status: number, message: string): string {
  if (status === 403) return `The server at ${name} lets nobody in from here: ${message}`;
  return key === null
    ? `The server at ${name} wants a key: give it with --api-key or in PILOTLIGHT_API_KEY. (${message})`
    : `The server at ${name} does not take this key. (${message})`;
}
