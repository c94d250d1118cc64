/** Where the server is, its keys, its log, and its test of itself. All throw ApiError with a sentence for people. */
import { type SelfTestEvent, selfTestEventSchema } from '../../protocol/self-test.js';
import {
  type ApiKey,
  apiKeyListSchema,
  type MadeApiKey,
  madeApiKeySchema,
  type ServingInfo,
  servingSchema,
} from '../../protocol/serving.js';
import { eventsOf } from './follow-events.js';
import { readJson, request, sendJson } from './http.js';
import { currentKey, rememberKey } from './key.js';

export const LOG_EVENTS = '/pilotlight/log/events';
const KEYS = '/pilotlight/keys';

export async function servingInfo(): Promise<ServingInfo> {
  return readJson(servingSchema, await request('/pilotlight/server'));
}

export async function apiKeys(): Promise<ApiKey[]> {
  return (await readJson(apiKeyListSchema, await request(KEYS))).keys;
}

/** From the first one on the server asks for a key, this tab of a browser too, which so uses the new one. */
export async function makeApiKey(name: string): Promise<MadeApiKey> {
  const made = await readJson(madeApiKeySchema, await sendJson('POST', KEYS, { name }));
  if ((await currentKey()) === null) rememberKey(made.key);
  return made;
}

export async function removeApiKey(name: string): Promise<void> {
  await request(`${KEYS}/${encodeURIComponent(name)}`, { method: 'DELETE' });
}

/** Ends with the last test. */
export async function* runSelfTest(signal: AbortSignal): AsyncGenerator<SelfTestEvent> {
  const response = await sendJson('POST', '/pilotlight/self-test', {}, signal);
  yield* eventsOf(selfTestEventSchema, response);
}
