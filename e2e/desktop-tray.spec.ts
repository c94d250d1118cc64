import Anthropic from '@anthropic-ai/sdk';
import { expect } from '@playwright/test';
import { openAiClient, serverState } from './api.js';
import { type DesktopApp, expectEnded, test } from './desktop-app.js';
import { freePort, holdPort } from './processes.js';

const CANCELLED = 'The request was cancelled in Pilotlight.';
const QUESTION = [{ role: 'user' as const, content: 'Go on and on.' }];

/** A client in the middle of an answer, and what it is told at the end. */
interface Client {
  received: () => string;
  /** The error that ended it; null: it ended well. */
  ended: Promise<string | null>;
}

function follow(read: (tell: (text: string) => void) => Promise<void>): Client {
  let received = '';
  const ended = read((text) => {
    received += text;
  }).then(
    () => null,
    (error: unknown) => String(error),
  );
  return { received: () => received, ended };
}

const askOpenAi = (url: string) =>
  follow(async (tell) => {
    const { completions } = openAiClient(url).chat;
    const answer = await completions.create({ model: 'slow', messages: QUESTION, stream: true });
    for await (const chunk of answer) tell(chunk.choices[0]?.delta.content ?? '');
  });

const askAnthropic = (url: string) =>
  follow(async (tell) => {
    const { messages } = new Anthropic({ baseURL: url, apiKey: 'unused', maxRetries: 0 });
    const asked = { model: 'slow', max_tokens: 8_000, messages: QUESTION, stream: true } as const;
    for await (const event of await messages.create(asked)) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
        tell(event.delta.text);
      }
    }
  });

const expectFlow = (client: Client) => expect.poll(() => client.received()).toMatch(/.{20}/s);

const expectPicture = (app: DesktopApp, picture: string) =>
  expect.poll(() => app.trayPicture()).toBe(picture);

test('the icon shows what goes on, and a request is cancelled in the words of its protocol', async ({
  launch,
}) => {
  const app = await launch({ models: ['slow'] });
  const url = await app.ready();
  await app.chat.pickModel('slow');
  await expectPicture(app, 'idle');
  const openAi = askOpenAi(url);
  const anthropic = askAnthropic(url);
  await expectFlow(openAi);
  await expectFlow(anthropic);
  await expectPicture(app, 'answering');
  await app.trayItem('summary', /answering 2 requests$/);
  await app.trayItem('requests', 'Requests (2)');

  await app.clickTray(
    await app.trayItem(/^request:/, /— Anthropic message, since \d\d:\d\d:\d\d$/),
  );
  expect(await anthropic.ended).toContain(CANCELLED);
  await app.trayItem('requests', 'Requests (1)');
  const before = openAi.received().length;
  await expect.poll(() => openAi.received().length).toBeGreaterThan(before);

  await app.clickTray('cancel-all');
  expect(await openAi.ended).toContain(CANCELLED);
  await app.trayItem('summary', /: ready$/);
  await expectPicture(app, 'idle');
  expect((await app.trayItems()).map(({ id }) => id)).not.toContain('requests');
});

test('a model is unloaded from the tray, and the next question loads it again', async ({
  launch,
}) => {
  const app = await launch({ models: ['scripted'] });
  await app.ready();
  await app.chat.pickModel('scripted');
  await app.trayItem('model:scripted', / — \d+ MB$/);
  // Guide, the first one, may still be loaded beside it.
  const loaded = (await app.pids()).engines.length;
  await app.clickTray(await app.trayItem('unload:scripted', / — \d+ MB$/));
  await expect.poll(async () => (await app.pids()).engines.length).toBe(loaded - 1);
  await app.trayItem('summary', /loads with the next request$/);
  await app.expectTick('scripted');
  expect((await app.trayItems()).map(({ id }) => id)).not.toContain('unload:scripted');

  await app.chat.ask('Hello?');
  await app.chat.expectStatus('complete');
  await app.trayItem('unload:scripted');
});

test('a model that is in use is unloaded once it has answered', async ({ launch }) => {
  const app = await launch({ models: ['slow'] });
  const url = await app.ready();
  await app.chat.pickModel('slow');
  const client = askOpenAi(url);
  await expectFlow(client);
  const loaded = (await app.pids()).engines.length;
  await app.clickTray(await app.trayItem('unload:slow', /once it has answered$/));
  const before = client.received().length;
  await expect.poll(() => client.received().length).toBeGreaterThan(before + 50);
  expect((await app.pids()).engines).toHaveLength(loaded);
  await app.clickTray('cancel-all');
  expect(await client.ended).toContain(CANCELLED);
  await expect.poll(async () => (await app.pids()).engines.length).toBe(loaded - 1);
});

test('the server is stopped and started from the tray, at the same address', async ({ launch }) => {
  const port = await freePort();
  const app = await launch({ models: ['slow', 'scripted'], args: [`--port=${port}`] });
  const url = await app.ready();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  await app.chat.pickModel('slow');
  const client = askOpenAi(url);
  await expectFlow(client);
  const { server, engines } = await app.pids();
  expect(server).not.toBeNull();

  await app.clickTray(await app.trayItem('server', 'Stop the server'));
  expect(await client.ended).toMatch(/The (server is stopping|model is being unloaded)/);
  await app.trayItem('server', 'Start the server');
  await expectEnded([server ?? 0, ...engines]);
  const holder = await holdPort(port);
  await new Promise((resolve) => holder.close(resolve));
  await expectPicture(app, 'off');
  await app.trayItem('summary', 'The model server is stopped');
  expect(await app.title()).toMatch(/the model server is stopped/);
  await expect(app.page.getByTestId('connection-state')).not.toHaveAttribute(
    'data-state',
    'online',
  );

  await app.clickTray('server');
  await app.ready();
  expect(app.url).toBe(url);
  expect((await serverState(url)).current_model).toBe('slow');
  expect(await app.title()).not.toMatch(/stopped/);
  await app.expectTick('slow');
  await app.chat.pickModel('scripted');
  await app.chat.ask('Back again?');
  await app.chat.expectStatus('complete');
  await app.trayItem('server', 'Stop the server');
});

test('Quit ends an app whose server is stopped, and one whose server is stopping', async ({
  launch,
}) => {
  for (const waits of [true, false]) {
    const app = await launch({ models: ['scripted'] });
    await app.ready();
    const processes = await app.processes();
    await app.clickTray('server');
    if (waits) await app.trayItem('server', 'Start the server');
    await app.clickTray('quit');
    await app.ended();
    expect(app.main.exitCode).toBe(0);
    await expectEnded(processes);
  }
});

test('a crashed model is told by the icon, until it is loaded again', async ({ launch }) => {
  const app = await launch({ models: ['scripted'] });
  await app.ready();
  await app.chat.pickModel('scripted');
  await app.trayItem('unload:scripted');
  for (const engine of (await app.pids()).engines) process.kill(engine, 'SIGKILL');
  await expectPicture(app, 'error');
  await app.trayItem('summary', /crashed, loads again with the next request$/);
  await app.clickTray('model:scripted');
  await app.trayItem('summary', /: ready$/);
  await expectPicture(app, 'idle');
});

test('the pictures follow the light and dark of the system', async ({ launch }) => {
  const app = await launch({ env: { XDG_CURRENT_DESKTOP: 'KDE' } });
  await app.ready();
  for (const theme of ['dark', 'light'] as const) {
    await app.electron.evaluate(({ nativeTheme }, source) => {
      nativeTheme.themeSource = source;
    }, theme);
    const picture = () => app.electron.evaluate(() => globalThis.pilotlightE2e?.tray.picture);
    const tone = process.platform === 'darwin' ? 'Template' : theme;
    await expect.poll(picture).toBe(`idle-${tone}`);
  }
});
