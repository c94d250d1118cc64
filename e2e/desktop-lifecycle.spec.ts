import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import { expectEnded, start, test } from './desktop-app.js';
import { freePort, holdPort } from './processes.js';

const KEEP = { response: 0, checkboxChecked: false };
const QUIT = { response: 1, checkboxChecked: false };
const CANCEL = { response: 2, checkboxChecked: false };

test('closing the window keeps the app, and the tray opens it again', async ({ launch }) => {
  const app = await launch({ models: ['scripted'] });
  const url = await app.ready();
  await app.closeWindow();
  await expect.poll(() => app.isVisible()).toBe(false);
  expect((await fetch(`${url}/health`)).ok).toBe(true);
  await app.clickTray('open');
  await expect.poll(() => app.isVisible()).toBe(true);
  await app.chat.ask('Still here?');
  await app.chat.expectStatus('complete');
});

test('where no tray can be seen, closing asks, and remembers the answer when told to', async ({
  launch,
}) => {
  test.skip(process.platform !== 'linux', 'Other systems always have a tray.');
  const app = await launch({ settings: {} });
  await app.ready();
  await app.answerBoxes(CANCEL, { ...KEEP, checkboxChecked: true }, QUIT);
  await app.closeWindow();
  await expect.poll(async () => (await app.boxes()).length).toBe(1);
  expect((await app.boxes())[0]).toMatchObject({ buttons: ['Keep running', 'Quit', 'Cancel'] });
  expect(await app.isVisible()).toBe(true);

  await app.closeWindow();
  await expect.poll(() => app.isVisible()).toBe(false);
  await app.clickTray('open');
  await app.closeWindow();
  await expect.poll(() => app.isVisible()).toBe(false);
  expect(await app.boxes()).toHaveLength(2);
});

test('where no tray can be seen, closing can quit', async ({ launch }) => {
  test.skip(process.platform !== 'linux', 'Other systems always have a tray.');
  const app = await launch({ settings: {} });
  await app.ready();
  const processes = await app.processes();
  await app.answerBoxes(QUIT);
  await app.closeWindow();
  await app.ended();
  await expectEnded(processes);
});

test('a second start shows the first window and ends with 0', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  await app.closeWindow();
  await expect.poll(() => app.isVisible()).toBe(false);
  const second = await start([`--user-data-dir=${app.profile}`]);
  const [code] = await once(second.child, 'close');
  expect(code).toBe(0);
  expect(second.printed()).toContain('Pilotlight is already running');
  await expect.poll(() => app.isVisible()).toBe(true);
});

test('Quit in the tray ends an answer, every process, and frees the port', async ({ launch }) => {
  const port = await freePort();
  const app = await launch({ models: ['slow'], args: [`--port=${port}`] });
  expect(await app.ready()).toBe(`http://127.0.0.1:${port}`);
  await app.chat.pickModel('slow');
  await app.chat.ask('Go on and on.');
  await app.chat.expectGrowth(2);
  const { engines } = await app.pids();
  expect(engines.length).toBeGreaterThan(0);
  const processes = await app.processes();
  expect(processes).toEqual(expect.arrayContaining(engines));

  await app.clickTray('quit');
  await app.ended();
  expect(app.main.exitCode).toBe(0);
  await expectEnded(processes);
  await expectFree(port);
});

test('the termination signal quits as cleanly', async ({ launch }) => {
  test.skip(process.platform === 'win32', 'Windows has no such signal.');
  const port = await freePort();
  const app = await launch({ models: ['scripted'], args: [`--port=${port}`] });
  await app.ready();
  await app.chat.pickModel('scripted');
  await app.chat.ask('Hello?');
  await app.chat.expectStatus('complete');
  const processes = await app.processes();
  app.main.kill('SIGTERM');
  await app.ended();
  expect(app.main.exitCode).toBe(0);
  await expectEnded(processes);
  await expectFree(port);
});

test('when the main process is killed, nothing of it lives on', async ({ launch }) => {
  const port = await freePort();
  const app = await launch({ models: ['slow'], args: [`--port=${port}`] });
  await app.ready();
  await app.chat.pickModel('slow');
  await app.chat.ask('Go on and on.');
  await app.chat.expectGrowth(2);
  const processes = await app.processes();
  const { server, engines } = await app.pids();
  expect(processes).toEqual(expect.arrayContaining([server, ...engines]));
  app.main.kill('SIGKILL');
  await app.ended();
  await expectEnded(processes);
  await expectFree(port);
});

test('the window opens again where it was left', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  const bounds = { x: 90, y: 60, width: 720, height: 560 };
  await app.electron.evaluate(({ BrowserWindow }, wanted) => {
    BrowserWindow.getAllWindows()[0]?.setBounds(wanted);
  }, bounds);
  const file = path.join(app.profile, 'desktop.json');
  await expect
    .poll(() => JSON.parse(fs.readFileSync(file, 'utf8')).bounds)
    .toMatchObject({ width: 720, height: 560 });
  await app.close();

  const again = await launch({ profile: app.profile });
  await again.ready();
  const now = await again.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.getBounds(),
  );
  expect(now).toEqual(JSON.parse(fs.readFileSync(file, 'utf8')).bounds);
  expect(now).toMatchObject({ width: 720, height: 560 });
});

test('it starts at login only when the person says so, and stops doing so as easily', async ({
  launch,
}) => {
  test.skip(process.platform !== 'linux', "Elsewhere this would change the machine's own setting.");
  const app = await launch();
  await app.ready();
  const file = path.join(app.configDir, 'autostart', 'pilotlight.desktop');
  const ticked = async () =>
    (await app.trayItems()).find((item) => item.id === 'open-at-login')?.checked;
  expect(await ticked()).toBe(false);
  await app.closeWindow();
  await app.clickTray('open');
  expect(fs.existsSync(file)).toBe(false);

  await app.clickTray('open-at-login');
  expect(await ticked()).toBe(true);
  expect(fs.readFileSync(file, 'utf8')).toMatch(/^Exec=".+" "--hidden"$/m);
  await app.clickTray('open-at-login');
  expect(await ticked()).toBe(false);
  await app.close();
  expect(fs.existsSync(file)).toBe(false);
});

test('a start at login that cannot be switched on is told in words, and shown as off', async ({
  launch,
}) => {
  test.skip(process.platform !== 'linux', "Elsewhere this would change the machine's own setting.");
  const app = await launch();
  await app.ready();
  const folder = path.join(app.configDir, 'autostart');
  fs.mkdirSync(app.configDir, { recursive: true });
  fs.writeFileSync(folder, 'in the way');
  await app.answerBoxes({ response: 0, checkboxChecked: false });
  await app.clickTray('open-at-login');
  await expect.poll(() => app.boxes()).toHaveLength(1);
  const [box] = await app.boxes();
  expect(box?.message).toBe('The start at login could not be changed.');
  expect(box?.detail).toContain(`The file ${folder}/pilotlight.desktop cannot be written: `);
  const items = await app.trayItems();
  expect(items.find(({ id }) => id === 'open-at-login')?.checked).toBe(false);
});

test('the window follows the light and dark of the system', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  for (const theme of ['dark', 'light'] as const) {
    await app.electron.evaluate(({ nativeTheme }, source) => {
      nativeTheme.themeSource = source;
    }, theme);
    const page = () => app.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const window = () =>
      app.electron.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.getBackgroundColor(),
      );
    const [red, green, blue] = theme === 'dark' ? [14, 16, 21] : [252, 252, 253];
    await expect.poll(page).toBe(`rgb(${red}, ${green}, ${blue})`);
    // The empty window before a page must not flash in another colour.
    const hex = [red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('');
    await expect.poll(async () => (await window())?.toLowerCase()).toBe(`#${hex}`);
  }
});

test('started hidden it serves from the tray without showing its window', async ({ launch }) => {
  const app = await launch({ args: ['--port=0', '--hidden'] });
  const url = await app.ready();
  expect((await fetch(`${url}/health`)).ok).toBe(true);
  expect(await app.isVisible()).toBe(false);
  await app.clickTray('open');
  await expect.poll(() => app.isVisible()).toBe(true);
});

async function expectFree(port: number): Promise<void> {
  const server = await holdPort(port);
  await new Promise((resolve) => server.close(resolve));
}
