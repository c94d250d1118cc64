import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';
import type { DesktopBridge } from '../protocol/bridge.js';
import { test } from './desktop-app.js';

declare global {
  interface Window {
    readonly pilotlight?: DesktopBridge;
  }
}

test('the page is cut off from Node and gets these functions only', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  const seen = await app.page.evaluate(() => ({
    bridge: Object.keys(window.pilotlight ?? {}).sort(),
    node: [typeof Reflect.get(globalThis, 'require'), typeof Reflect.get(globalThis, 'process')],
  }));
  expect(seen).toEqual({
    bridge: [
      ...[
        'checkForUpdate',
        'chooseFolder',
        'downloadUpdate',
        'hideQuickAsk',
        'installUpdate',
        'listening',
      ],
      ...['loginItem', 'onGo', 'onQuickAskChanged', 'onQuickAskShown', 'onUpdateChanged'],
      ...['openChat', 'openDataFolder', 'openExternal', 'openModels'],
      ...[
        'openModelsFolder',
        'openQuickAsk',
        'quickAsk',
        'quickAskHeight',
        'setLoginItem',
        'showLog',
        'update',
        'windowKey',
      ],
    ],
    node: ['undefined', 'undefined'],
  });
  const preferences = await app.electron.evaluate(({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0] ?? {};
    const all = webContents as unknown as { getLastWebPreferences(): Record<string, unknown> };
    const { contextIsolation, nodeIntegration, sandbox, webSecurity, webviewTag } =
      all.getLastWebPreferences();
    return { contextIsolation, nodeIntegration, sandbox, webSecurity, webviewTag };
  });
  expect(preferences).toEqual({
    contextIsolation: true,
    nodeIntegration: false,
    sandbox: true,
    webSecurity: true,
    webviewTag: false,
  });
});

test('links leave for the browser, and the window stays where it is', async ({ launch }) => {
  const app = await launch();
  const url = await app.ready();
  await app.catchLinks();
  await app.page.evaluate(() => {
    const link = document.createElement('a');
    link.href = 'https://example.org/link';
    document.body.append(link);
    link.click();
    window.open('https://example.org/window');
    window.open('file:///etc/passwd');
  });
  await expect
    .poll(() => app.openedLinks())
    .toEqual(['https://example.org/link', 'https://example.org/window']);
  await app.page.evaluate(() => {
    location.href = 'https://example.org/location';
  });
  await expect.poll(() => app.openedLinks()).toContain('https://example.org/location');
  const refusal = await app.page.evaluate(() =>
    window.pilotlight?.openExternal('file:///etc/passwd').then(
      () => 'opened',
      (error: Error) => error.message,
    ),
  );
  expect(refusal).toContain('Only http and https links can be opened.');
  expect(await app.openedLinks()).toHaveLength(3);
  expect(app.page.url()).toBe(`${url}/`);
  expect(app.electron.windows()).toHaveLength(1);
});

test('the page may copy, and is refused everything else', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  const answers = await app.page.evaluate(async () => {
    const outcome = (promise: Promise<unknown>) =>
      promise.then(
        () => 'granted',
        (error: Error) => error.name,
      );
    return {
      copy: await outcome(navigator.clipboard.writeText('copied by the page')),
      paste: await outcome(navigator.clipboard.readText()),
      notifications: await Notification.requestPermission(),
      microphone: await outcome(navigator.mediaDevices.getUserMedia({ audio: true })),
      place: await new Promise((resolve) =>
        navigator.geolocation.getCurrentPosition(
          () => resolve('granted'),
          () => resolve('denied'),
        ),
      ),
    };
  });
  expect(answers).toMatchObject({
    copy: 'granted',
    paste: 'NotAllowedError',
    notifications: 'denied',
    place: 'denied',
  });
  expect(answers.microphone).not.toBe('granted');
  const clipboard = await app.electron.evaluate((electron) => electron.clipboard.readText());
  expect(clipboard).toBe('copied by the page');
});

test('a page of another origin gets nothing from the bridge', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  const stranger = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>stranger</title>');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`;
    await app.electron.evaluate(
      ({ BrowserWindow }, url) => BrowserWindow.getAllWindows()[0]?.loadURL(url),
      address,
    );
    await expect(app.page).toHaveURL(address);
    const answer = await app.page.evaluate(() =>
      window.pilotlight?.windowKey().then(
        () => 'told',
        (error: Error) => error.message,
      ),
    );
    expect(answer).toContain("only Pilotlight's windows may call this");
  } finally {
    stranger.closeAllConnections();
    stranger.close();
  }
});
