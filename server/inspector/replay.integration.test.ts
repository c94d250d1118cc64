// Requests that are run again, on a real server.
import { describe, expect, it } from 'vitest';
import { ask, DIALECTS, readAll } from '../dialects/test-dialects.js';
import { user } from '../test-server.js';
import { inspectedServers, WINDOW_KEY } from './test-inspector.js';

const start = inspectedServers();

describe.each(Object.entries(DIALECTS))('%s', (_, dialect) => {
  it.each([true, false])('is run again over its own route; stream: %s', async (stream) => {
    const { test, inspector } = await start();
    await inspector.switch(true);
    const question = { model: 'scripted', text: 'Hi.', maxTokens: 40, stream };
    const bytes = await readAll(await ask(test, dialect, question));
    const said = stream ? dialect.streamed(bytes) : dialect.collected(bytes);
    const first = await inspector.last();
    expect(first.answers.map(({ text }) => text)).toEqual([said]);
    expect(first.body).toEqual(dialect.body(question));
    expect((await inspector.snippets(first.id)).length).toBeGreaterThanOrEqual(3);

    const id = await inspector.replay(first.id);
    expect(id).not.toBe(first.id);
    const { kept } = await inspector.until(({ live }) => live.length === 0);
    expect(kept.map((row) => [row.id, row.replay_of])).toEqual([
      [first.id, null],
      [id, first.id],
    ]);
    const again = await inspector.detail(id);
    expect(again).toMatchObject({ route: dialect.path, is_owner: true, end: { status: 200 } });
    expect([again.body, again.prompts, again.answers]).toEqual([
      first.body,
      first.prompts,
      first.answers,
    ]);
  });
});

describe('a replay', () => {
  it('comes with the key of who asks for it, and can be cancelled', async () => {
    const { test, inspector } = await start({
      models: ['slow'],
      config: { apiKeys: ['k'] },
    });
    await inspector.switch(true);
    const headers = { 'content-type': 'application/json', authorization: 'Bearer k' };
    await (await test.chat({ messages: [user('Go.')], max_tokens: 5 }, { headers })).text();
    const { id: first } = await inspector.last();
    const answer = await fetch(`${test.server.url}/pilotlight/inspector/requests/${first}/replay`, {
      method: 'POST',
      headers: { 'x-api-key': WINDOW_KEY },
    });
    expect(answer.status).toBe(200);
    await inspector.until(({ live, kept }) => live.length === 0 && kept.length === 2);
    expect(await inspector.last()).toMatchObject({ client: 'window', end: { status: 200 } });

    const body = { messages: [user('Go.')], stream: true };
    const running = await test.chat(body, { headers });
    await inspector.cancel((await inspector.live('running')).id);
    await running.text();
    const id = await inspector.replay((await inspector.last()).id);
    expect((await inspector.live('running')).id).toBe(id);
    expect((await inspector.cancel(id)).status).toBe(200);
    await test.idle();
  });

  it('ends when the inspector is switched off', async () => {
    const { test, inspector } = await start({ models: ['slow'] });
    await inspector.switch(true);
    const leaving = new AbortController();
    const running = await test.chat(
      { messages: [user('Go.')], stream: true },
      { signal: leaving.signal },
    );
    expect(running.status).toBe(200);
    leaving.abort();
    await test.idle();
    const first = await inspector.last();
    expect(first.end).toMatchObject({ complete: false });
    await inspector.replay(first.id);
    await inspector.live('running');
    await inspector.switch(false);
    await test.idle();
  });
});
