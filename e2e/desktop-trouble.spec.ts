import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from '@playwright/test';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { serverState } from './api.js';
import { expectEnded, start, test } from './desktop-app.js';
import { putModels } from './folders.js';
import { freePort, holdPort } from './processes.js';

test('a taken port is told with its holder, and the next one is used and shown', async ({
  launch,
}) => {
  const port = await freePort();
  const holder = await holdPort(port);
  try {
    const app = await launch({ args: [`--port=${port}`] });
    const url = await app.ready();
    expect(url).not.toBe(`http://127.0.0.1:${port}`);
    await expect(app.chat.notices.filter({ hasText: String(port) })).toContainText(
      new URL(url).port,
    );
    await expect(app.chat.notices.filter({ hasText: String(port) })).toContainText(
      new RegExp(`node|${process.pid}`),
    );
    await app.trayItem('copy-address', `Copy API address (${url}/v1)`);
  } finally {
    holder.close();
  }
});

test('a models folder may have spaces and letters of any script in its name', async ({
  launch,
}, testInfo) => {
  const folder = path.join(testInfo.outputDir, 'Meine Modelle', '模型 & más ünïcode');
  await putModels(folder, ['scripted']);
  const app = await launch({ args: ['--port=0', `--models-dir=${folder}`] });
  const url = await app.ready();
  expect((await serverState(url)).models_dir).toBe(folder);
  await app.chat.pickModel('scripted');
  await app.chat.ask('Hello?');
  await app.chat.expectStatus('complete');
  expect((await app.chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);
});

test('a proxy in the environment is not asked for anything on this machine', async ({ launch }) => {
  const asked: string[] = [];
  const proxy = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  try {
    const app = await launch({
      models: ['scripted'],
      env: {
        HTTP_PROXY: address,
        HTTPS_PROXY: address,
        ALL_PROXY: address,
        http_proxy: address,
        https_proxy: address,
        all_proxy: address,
        NO_PROXY: '',
        no_proxy: '',
      },
    });
    await app.ready();
    await app.chat.pickModel('scripted');
    await app.chat.ask('Hello?');
    await app.chat.expectStatus('complete');
    expect((await app.chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);
    expect(asked).toEqual([]);
  } finally {
    proxy.close();
  }
});

test('a port that is none is refused by name', async () => {
  const profile = `--user-data-dir=${test.info().outputPath('profile')}`;
  await expectRefusal([profile, '--port=seventy'], {}, 'from 0 to 65535, not "seventy".');
});

test('a data folder that cannot be written is told in words', async () => {
  test.skip(process.platform !== 'linux', 'The folder is chosen by a variable of Linux.');
  const file = test.info().outputPath('file');
  await fs.writeFile(file, '');
  await expectRefusal([], { XDG_DATA_HOME: file }, `${file}/pilotlight, which cannot be written`);
});

test('a killed engine fails its answer in words, and the next try loads the model again', async ({
  launch,
}) => {
  const app = await launch({ models: ['slow'] });
  await app.ready();
  await app.chat.pickModel('slow');
  await app.chat.ask('Go on and on.');
  await app.chat.expectGrowth(2);
  const before = await app.pids();
  for (const engine of before.engines) process.kill(engine, 'SIGKILL');
  await app.chat.expectStatus('failed');
  await expect(app.page.getByTestId('error-card')).toContainText(/\w+ \w+/);

  await app.page.getByTestId('retry').click();
  await app.chat.expectGrowth(2);
  await app.chat.stopButton.click();
  await app.chat.expectStatus('stopped');
  expect((await app.pids()).server).toBe(before.server);
});

test('a killed server is started again at the same address, and the window goes on', async ({
  launch,
}) => {
  const app = await launch({ models: ['scripted', 'slow'] });
  const url = await app.ready();
  await app.chat.pickModel('slow');
  await app.chat.ask('Go on and on.');
  await app.chat.expectGrowth(2);
  await app.answerBoxes({ response: 0, checkboxChecked: false });
  const before = await app.pids();
  if (before.server === null) throw new Error('The server does not run.');
  process.kill(before.server, 'SIGKILL');
  await expect.poll(() => app.title(), { intervals: [10] }).toMatch(/stopped unexpectedly/);

  await expect.poll(() => app.title()).not.toMatch(/stopped unexpectedly/);
  await app.chat.ready();
  await app.chat.expectStatus('interrupted');
  await expectEnded(before.engines);
  expect(app.url).toBe(url);
  expect((await app.pids()).server).not.toBe(before.server);
  await app.expectTick('slow');
  await app.chat.pickModel('scripted');
  await app.chat.ask('Back again?');
  await app.chat.expectStatus('complete');
  expect((await app.chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);
});

test('a page that crashes comes back with its chat', async ({ launch }) => {
  const app = await launch({ models: ['scripted'] });
  await app.ready();
  await app.chat.pickModel('scripted');
  await app.chat.ask('Hello?');
  await app.chat.expectStatus('complete');

  await app.electron.evaluate(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0] ?? {};
    const loaded = new Promise<void>((resolve) =>
      webContents?.once('did-finish-load', () => resolve()),
    );
    webContents?.forcefullyCrashRenderer();
    await loaded;
  });
  // Playwright has lost the page that crashed, so its successor is asked through the main process.
  const text = () =>
    app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
        `document.querySelector('[data-testid="message-assistant"]')?.textContent ?? ''`,
      ),
    );
  await expect.poll(text).toContain(SCRIPTED_SENTENCE);
});

test('a server that stops again and again is told with its reason, and can be tried again', async ({
  launch,
}) => {
  const app = await launch({ models: ['scripted'] });
  await app.ready();
  await app.answerBoxes({ response: 0, checkboxChecked: false });
  const question = async () =>
    (await app.boxes()).find((box) => box.message === 'The model server cannot start.');
  await expect
    .poll(async () => {
      const asked = await question();
      if (!asked) killIfRunning((await app.pids()).server);
      return asked;
    })
    .toBeDefined();
  const box = await question();
  expect(box?.detail).toMatch(/^It stopped again and again, the last time with signal SIGKILL\./);
  expect(box?.buttons).toEqual(['Try again', 'Quit']);

  await app.chat.ready();
  await app.chat.pickModel('scripted');
  await app.chat.ask('Back again?');
  await app.chat.expectStatus('complete');
});

/** The app prints the sentence and shows it in a box, which nobody is there to close. */
async function expectRefusal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  sentence: string,
): Promise<void> {
  const { child, printed } = await start(args, env);
  try {
    await expect.poll(printed).toContain(sentence);
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

function killIfRunning(pid: number | null): void {
  try {
    if (pid !== null) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
