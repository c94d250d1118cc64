/** The running server, as the command line asks it. */
import { errorBodySchema } from '../protocol/openai.js';
import { printable } from './local-library.js';

export interface ServerOptions {
  url: string;
  apiKey?: string;
}

/** Prints the sentence and ends with 1. */
export function fail(sentence: string): never {
  console.error(printable(sentence));
  process.exit(1);
}

/** The answer, where it is a success; else the program ends with a sentence that says why. */
export async function askServer(
  { url, apiKey = process.env.PILOTLIGHT_API_KEY ?? '' }: ServerOptions,
  route: string,
  init: RequestInit = {},
): Promise<Response> {
  const base = URL.canParse(url) ? new URL(url) : null;
  if (base === null || !/^https?:$/.test(base.protocol)) {
    fail(`"${url}" is not the URL of a server: expected one such as http://127.0.0.1:7411.`);
  }
  const headers = new Headers(init.headers);
  if (apiKey !== '') headers.set('authorization', `Bearer ${apiKey}`);
  const response = await fetch(new URL(route, base), { ...init, headers }).catch(() =>
    fail(
      `Nobody listens at ${base.origin}. Start the app, or a server with "pilotlight serve". Where it serves at another address, give that with --url.`,
    ),
  );
  if (response.ok) return response;
  const error = errorBodySchema.safeParse(await response.json().catch(() => null));
  if (response.status === 401) {
    fail(
      `The server at ${base.origin} wants a key: give it with --api-key or in PILOTLIGHT_API_KEY.`,
    );
  }
  if (!error.success) {
    fail(`The server at ${base.origin} is no Pilotlight. Give the address of yours with --url.`);
  }
  fail(error.data.error.message);
}

/** The JSON of each event of a stream, as they come. */
export async function* eventsOf(response: Response): AsyncGenerator<unknown> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length));
    }
  }
}
