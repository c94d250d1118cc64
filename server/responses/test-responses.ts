/** What tests of the Responses API ask, and how they read a stream. */
import type OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { TOOL } from '../../scripts/test-models/scripts.js';

/** The model is wired to call the tool. */
export const ASK_WEATHER = {
  model: 'toolcall',
  input: 'What is the weather in Rome?',
  tools: [{ type: 'function' as const, ...TOOL, strict: true }],
};

/** A stream, read to its end by the official client. */
export async function eventsOf(client: OpenAI, body: object): Promise<ResponseStreamEvent[]> {
  const stream = await client.responses.create({ ...body, stream: true } as never);
  return listOf(stream as unknown as AsyncIterable<ResponseStreamEvent>);
}

export async function listOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}
