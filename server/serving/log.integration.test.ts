// The log as the developer page shows it: old and new lines, and nothing of what was said or of who may say it.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type LogLine, logEventSchema } from '../../protocol/serving.js';
import { type TestServer, testServers, user } from '../test-server.js';

const start = testServers();
const SECRET = 'sk-this-must-never-be-written';

/** Lines of the stream until one is as wanted; a test's limit of time is its end. */
async function linesUntil(
  test: TestServer,
  isLast: (line: LogLine) => boolean,
  headers: Record<string, string> = {},
): Promise<LogLine[]> {
  const controller = new AbortController();
  const response = await fetch(`${test.server.url}/pilotlight/log/events`, {
    ...{ signal: controller.signal, headers },
  });
  const lines: LogLine[] = [];
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + chunk).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (!event.startsWith('data: ')) continue;
      lines.push(...logEventSchema.parse(JSON.parse(event.slice('data: '.length))).lines);
    }
    if (lines.some(isLast)) break;
  }
  controller.abort();
  return lines;
}

it('has lines of earlier starts first, then those that come', async () => {
  const first = await start({ models: [] });
  await first.stop();
  const test = await start({ models: [], dataDir: first.dataDir });
  const reading = linesUntil(test, ({ fields }) => fields.path === '/v1/nowhere');
  await fetch(`${test.server.url}/v1/nowhere`);
  const lines = await reading;
  const messages = lines.map(({ message }) => message);
  expect(messages.indexOf('stopped')).toBeGreaterThanOrEqual(0);
  expect(messages.lastIndexOf('ready')).toBeGreaterThan(messages.indexOf('stopped'));
  expect(lines.map(({ n }) => n)).toEqual(lines.map((_, i) => (lines[0]?.n ?? 0) + i));
  const { message, level, fields } = lines.find((line) => line.fields.path === '/v1/nowhere') ?? {};
  expect([message, level, fields?.status, fields?.method]).toEqual(['request', 'info', 404, 'GET']);
});

it('never has a key, a question or an answer', async () => {
  const test = await start({ models: ['scripted'], config: { apiKeys: [SECRET] } });
  const key = { authorization: `Bearer ${SECRET}` };
  const json = { ...key, 'content-type': 'application/json' };
  const answer = await test.chat({ messages: [user('My name is Ada.')] }, { headers: json });
  const said = await answer.text();
  await test.chat(
    { messages: [user('My name is Ada.')] },
    { headers: { 'x-api-key': `${SECRET}x` } },
  );
  await fetch(`${test.server.url}/v1/models?key=${SECRET}`, { headers: key });
  await fetch(`${test.server.url}/v1/models`, { headers: { ...key, cookie: SECRET } });
  await test.post('/pilotlight/keys', { name: 'desk' }, { headers: json });
  await fetch(`${test.server.url}/v1/last`, { headers: key });
  const isLast = ({ fields }: LogLine) => fields.path === '/v1/last';
  const shown = JSON.stringify(await linesUntil(test, isLast, key));
  const file = await readFile(path.join(test.dataDir, 'logs', 'server.log'), 'utf8');
  const content = JSON.parse(said).choices[0].message.content as string;
  for (const text of [shown, file]) {
    expect(text).toContain('/v1/last');
    for (const secret of [SECRET, 'Ada', content]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/pl-[\w-]{43}/);
  }
});
