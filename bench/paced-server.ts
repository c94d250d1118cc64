/** A small server of the OpenAI API that answers at a pace of our choice: so that it is the window that is measured. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

/** Answers at once. */
export const INSTANT = 'instant';
/** Answers at once, at the length of `PACED`. */
export const LONG = 'long';
/** Writes at `tokensPerSecond`. */
export const PACED = 'paced';

const requestSchema = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(z.object({ content: z.unknown() })),
});

export interface PacedServer {
  /** Base URL. */
  url: string;
  stop(): Promise<void>;
}

interface Pace {
  tokensPerSecond: number;
  /** Tokens of an answer of `PACED` and of `LONG`. */
  tokens: number;
}

export async function startPacedServer(pace: Pace): Promise<PacedServer> {
  const server = http.createServer(async (request, response) => {
    if (request.url === '/v1/models') {
      const data = [INSTANT, LONG, PACED].map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'bench',
      }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data }));
      return;
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { model, stream, messages } = requestSchema.parse(JSON.parse(body));
    const text = model === INSTANT ? answerText(messages.length) : longText(pace.tokens);
    const tokens = tokensOf(text);
    if (!stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(whole(model, text)));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    response.flushHeaders();
    await write(response, model, tokens, model === PACED ? pace.tokensPerSecond : null);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** Sends the tokens, each as a chunk of its own; null: all at once. Falls behind by no more than a timer does. */
async function write(
  response: http.ServerResponse,
  model: string,
  tokens: readonly string[],
  perSecond: number | null,
): Promise<void> {
  const chunk = (delta: object, finish: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model, choices })}\n\n`;
  };
  const began = performance.now();
  let sent = 0;
  while (sent < tokens.length && !response.destroyed) {
    const elapsed = (performance.now() - began) / 1000;
    const due = perSecond === null ? tokens.length : Math.floor(elapsed * perSecond) + 1;
    const end = Math.min(due, tokens.length);
    while (sent < end) {
      response.write(chunk({ content: tokens[sent] }, null));
      sent += 1;
    }
    if (sent < tokens.length) await pause(1);
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}

function whole(model: string, content: string): object {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return { id: 'c', object: 'chat.completion', created: 0, model, choices };
}

/** About four characters each, as tokens of English are. */
function tokensOf(text: string): string[] {
  return text.match(/[\s\S]{1,4}/g) ?? [];
}

const paragraphs = [
  'The tide comes in twice a day because the Earth turns below **two bulges** of water: one faces the Moon, one faces away from it. Friction makes both run a little ahead.',
  '1. Warm the milk, and let it cool to 43 °C.\n2. Stir in two spoons of yoghurt.\n3. Keep it warm for *eight hours*, and do not move it.',
  '```ts\nexport function median(values: readonly number[]): number {\n  const sorted = values.toSorted((a, b) => a - b);\n  const middle = sorted.length >> 1;\n  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;\n}\n```',
  '| Element | Symbol | Mass |\n| --- | :---: | ---: |\n| Hydrogen | H | 1.008 |\n| Carbon | C | 12.011 |\n| Iron | Fe | 55.845 |',
  'For a right triangle $a^2 + b^2 = c^2$ holds, and the sum is\n\n$$\n\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}\n$$',
  '## What to look at\n\nThe `useEffect` above runs after *each* paint; see [the reference](https://example.org/reference) for the rest. > It is rarely what one wants.',
];

/** An answer of one to four kinds of paragraph, another one for each place in the chat. */
function answerText(place: number): string {
  const count = 1 + (place % 4);
  return Array.from(
    { length: count },
    (_, i) => paragraphs[(place + i * 5) % paragraphs.length],
  ).join('\n\n');
}

function longText(tokens: number): string {
  let text = '';
  for (let i = 0; text.length < tokens * 4; i += 1)
    text += `${paragraphs[i % paragraphs.length]}\n\n`;
  return text.slice(0, tokens * 4);
}
