/** What tests of the Responses API ask, and how they read a stream. */
import type OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { TOOL_CALL } from '../../scripts/test-models/scripts.js';

const TOOL = {
  type: 'function' as const,
  name: TOOL_CALL.name,
  description: 'The weather in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
};
/** The model is wired to call the tool. */
export const ASK_WEATHER = {
  model: 'toolcall',
  input: 'What is the weather in Rome?',
  tools: [TOOL],
};

/** A stream, read to its end by the official client. */
export async function eventsOf(client: OpenAI, body: object): Promise<ResponseStreamEvent[]> {
  const stream = await client.responses.create({ ...body, stream: true } as never);
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream as unknown as AsyncIterable<ResponseStreamEvent>) {
    events.push(event);
  }
  return events;
}
