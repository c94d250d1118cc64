/** What a model is asked, and how it answers. Each test throws Fault or Skip, or gives a remark. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { targetOf } from '../api.js';
import { ask } from '../ask.js';
import { jsonOf } from '../event-data.js';
import { OpenAiValidator } from '../openai-validator.js';
import { type Answered, expect, Fault, readAs, Skip } from './live-server.js';
import type { Subject } from './subject.js';

/** A remark for the person; null: nothing to add. */
export type Test = (subject: Subject) => Promise<string | null>;

const count = z.number().int().min(0);
const usageSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
});
const completionSchema = z.object({
  id: z.string().min(1),
  object: z.literal('chat.completion'),
  created: z.number().int(),
  model: z.string(),
  choices: z
    .array(
      z.object({
        index: count,
        finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().min(1),
                type: z.literal('function'),
                function: z.object({ name: z.string(), arguments: z.string() }),
              }),
            )
            .optional(),
        }),
      }),
    )
    .length(1),
  usage: usageSchema,
});

/** Something small to say, in a shape that every model keeps to. */
const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const inShape = (name: string, properties: Record<string, object>) => ({
  type: 'json_schema',
  json_schema: { name, strict: true, schema: object(properties) },
});

export function modelOf({ model }: Subject): string {
  if (model === null) throw new Skip('there is no model to ask');
  return model;
}

const question = (content: string) => [{ role: 'user', content }];
const HELLO = question('Say hello in one short sentence.');

async function chat(subject: Subject, fields: object) {
  const body = { model: modelOf(subject), temperature: 0, ...fields };
  const answered = await subject.live.ask(`${subject.api.base}/chat/completions`, { body });
  const { choices, usage } = readAs(answered, completionSchema);
  const [choice] = choices;
  if (choice === undefined) throw new Fault('there is no choice');
  return { choice, usage, content: choice.message.content ?? '' };
}

export const chatTest: Test = async (subject) => {
  const { usage } = await chat(subject, { messages: HELLO, max_tokens: 16 });
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const sum = `${prompt_tokens} + ${completion_tokens} tokens`;
  expect(prompt_tokens + completion_tokens === total_tokens, `${sum} are not ${total_tokens}`);
  expect(prompt_tokens > 0, 'the prompt has no tokens');
  return sum;
};

const stream =
  (protocol: 'chat' | 'completions'): Test =>
  async (subject) => {
    const model = modelOf(subject);
    const follower = new OpenAiValidator({ protocol, choices: 1, usage: true, maxTokens: 16 });
    const { failure, violations, counts } = await ask(
      targetOf(subject.api, protocol),
      {
        ...{ model, max_tokens: 16, temperature: 0, stream: true },
        ...(protocol === 'chat' ? { messages: HELLO } : { prompt: 'Once upon a time' }),
        stream_options: { include_usage: true },
      },
      follower,
      { timeoutMs: null, signal: subject.live.until },
    );
    const found = violations.map(({ message, event }) => `${message} (event ${event})`);
    if (failure !== null) found.unshift(failure.message);
    if (found.length > 0) throw new Fault(found.join('; '));
    return counts === null ? null : `${counts.output} tokens`;
  };

export const chatStreamTest = stream('chat');
export const completionStreamTest = stream('completions');

export const stopTest: Test = async (subject) => {
  const { choice, content } = await chat(subject, {
    messages: question('Write the word.'),
    response_format: inShape('word', { word: { const: 'alpha-omega' } }),
    ...{ stop: ['omega'], max_tokens: 600 },
  });
  expect(content.includes('alpha-'), `the text before the stop string is missing: ${content}`);
  expect(!content.includes('omega'), `the stop string is in the answer: ${content}`);
  expect(choice.finish_reason === 'stop', `finish_reason is ${choice.finish_reason}`);
  return null;
};

export const maxTokensTest: Test = async (subject) => {
  const { choice, usage } = await chat(subject, {
    messages: question('Write the words.'),
    response_format: inShape('words', { words: { const: 'one two three four five six seven' } }),
    max_tokens: 3,
  });
  expect(usage.completion_tokens === 3, `${usage.completion_tokens} tokens came in place of 3`);
  expect(choice.finish_reason === 'length', `finish_reason is ${choice.finish_reason}`);
  return null;
};

const moodSchema = z.strictObject({ mood: z.enum(['good', 'bad']), sure: z.boolean() });

export const schemaTest: Test = async (subject) => {
  const { content } = await chat(subject, {
    messages: question('Judge this: "I would buy it again."'),
    response_format: inShape('mood', {
      mood: { type: 'string', enum: ['good', 'bad'] },
      sure: { type: 'boolean' },
    }),
    max_tokens: 600,
  });
  const read = moodSchema.safeParse(jsonOf(content));
  expect(read.success, `the answer does not have the shape of its schema: ${content}`);
  return content;
};

export const toolsTest: Test = async (subject) => {
  modelOf(subject);
  if (subject.hasTools === false) throw new Skip('the model knows no tools');
  const parameters = object({ city: { type: 'string', enum: ['Rome', 'Oslo'] } });
  const { choice } = await chat(subject, {
    messages: question('What is the weather in Rome?'),
    tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    max_tokens: 600,
  });
  const [call] = choice.message.tool_calls ?? [];
  expect(call !== undefined, 'the tool that must be called was not');
  const { name, arguments: text } = call.function;
  expect(name === 'get_weather', `the tool "${name}" was called, which was not offered`);
  const read = z.strictObject({ city: z.enum(['Rome', 'Oslo']) }).safeParse(jsonOf(text));
  expect(read.success, `the arguments are not as they were described: ${text}`);
  return text;
};

/** How long the server may take to see that a client has gone, in milliseconds, and how often it is asked. */
const GONE_MS = 10_000;
const LOOK_MS = 50;

const receiptSchema = z.object({
  row: z.object({ outcome: z.string(), tokens: z.object({ output: count }).nullable() }),
});

export const cancelTest: Test = async (subject) => {
  const { live, api } = subject;
  const answered = await live.leaveEarly(`${api.base}/chat/completions`, {
    ...{ model: modelOf(subject), stream: true, max_tokens: 2000 },
    messages: question('Count from one to five hundred in words.'),
  });
  const id = answered.headers['x-pilotlight-receipt'];
  if (typeof id !== 'string') throw new Skip('only a Pilotlight tells how a request has ended');
  const receipt = await receiptOf(subject, id);
  const { outcome, tokens } = readAs(receipt, receiptSchema).row;
  if (outcome === 'answered') throw new Skip('the answer was over before it could be cancelled');
  expect(outcome === 'left', `the request has ended as "${outcome}"`);
  return tokens === null ? null : `stopped after ${tokens.output} tokens`;
};

async function receiptOf({ live, api }: Subject, id: string): Promise<Answered> {
  const end = performance.now() + GONE_MS;
  for (;;) {
    const answered = await live.ask(`${api.base}/receipts/${id}`);
    if (answered.status !== 404) return answered;
    if (performance.now() > end) {
      throw new Fault(`the request still runs ${GONE_MS / 1000} seconds after its client has gone`);
    }
    await wait(LOOK_MS);
  }
}

const embeddingsSchema = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: count,
      embedding: z.array(z.number()).min(1),
    }),
  ),
  usage: z.object({ prompt_tokens: count, total_tokens: count }),
});

export const embeddingsTest: Test = async ({ live, api, embedding }) => {
  if (embedding === null) throw new Skip('no model here makes embeddings');
  const body = { model: embedding, input: ['a text', 'another text'] };
  const { data } = readAs(await live.ask(`${api.base}/embeddings`, { body }), embeddingsSchema);
  expect(data.length === 2, `${data.length} vectors came for 2 texts`);
  expect(
    data.every(({ index }, i) => index === i),
    'the vectors are out of order',
  );
  const sizes = new Set(data.map((each) => each.embedding.length));
  expect(sizes.size === 1, 'the vectors have several lengths');
  return `${embedding}, ${[...sizes][0]} dimensions`;
};

const responseSchema = z.object({
  object: z.literal('response'),
  status: z.enum(['completed', 'incomplete']),
  output: z.array(z.object({ type: z.string() })).min(1),
});

export const responsesTest: Test = async (subject) => {
  const { live, api } = subject;
  const body = {
    ...{ model: modelOf(subject), input: 'Say hello.', max_output_tokens: 16, store: false },
  };
  readAs(await live.ask(`${api.base}/responses`, { body }), responseSchema);
  return null;
};

const messageSchema = z.object({
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: z.array(z.object({ type: z.string() })),
  usage: z.object({ input_tokens: count, output_tokens: count }),
});

export const anthropicTest: Test = async (subject) => {
  const { live, api } = subject;
  const body = { model: modelOf(subject), max_tokens: 16, messages: HELLO };
  const headers = { 'anthropic-version': '2023-06-01' };
  readAs(await live.ask(`${api.base}/messages`, { body, headers }), messageSchema);
  return null;
};

const ollamaSchema = z.object({
  done: z.literal(true),
  message: z.object({ role: z.literal('assistant'), content: z.string() }),
});

export const ollamaTest: Test = async (subject) => {
  const { live } = subject;
  const { version } = readAs(
    await live.ask(live.outside('/api/version')),
    z.object({ version: z.string() }),
  );
  readAs(await live.ask(live.outside('/api/tags')), z.object({ models: z.array(z.unknown()) }));
  const body = {
    ...{ model: modelOf(subject), messages: HELLO, stream: false, options: { num_predict: 16 } },
  };
  readAs(await live.ask(live.outside('/api/chat'), { body }), ollamaSchema);
  return `as Ollama ${version}`;
};
