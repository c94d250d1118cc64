import OpenAI from 'openai';
import { type ServerState, serverStateSchema } from '../protocol/models.js';

/** The official client, as an agent on this machine would use it. */
export function openAiClient(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
}

/** The server's state, from the first event of its feed. */
export async function serverState(url: string): Promise<ServerState> {
  const stop = new AbortController();
  try {
    const response = await fetch(`${url}/pilotlight/events`, { signal: stop.signal });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const data = /^data: ?(.*)\n\n/m.exec(text)?.[1];
      if (data !== undefined) return serverStateSchema.parse(JSON.parse(data));
    }
    throw new Error(`The feed of ${url} ended without an event: ${text}`);
  } finally {
    stop.abort();
  }
}
