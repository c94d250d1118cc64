import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  _electron,
  test as base,
  type ElectronApplication,
  expect,
  type Page,
} from '@playwright/test';
import type { MenuItem } from 'electron';
import type {} from '../app/e2e-hook.js';
import type { TestModelName } from '../scripts/test-models/catalogue.js';
import { ChatPage } from './chat-page.js';
import { putModels, REPO, removeFolder, temporaryFolder } from './folders.js';
import { isRunning, processTree } from './processes.js';

export interface LaunchOptions {
  /** Test models in the person's models folder. Default: none. */
  models?: readonly TestModelName[];
  /** Folder of an earlier launch to start with again. Default: a new profile. */
  profile?: string;
  /** The desktop's settings; default: nothing more to ask or to tell. */
  settings?: Record<string, unknown>;
  /** The first run is shown where nothing of a person is in the profile; default: it has been gone through. */
  isFirstRun?: boolean;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Settings of a person who has used the app for a while. */
const SETTLED = { toldAboutTray: true, closeWithoutTray: 'keep' };

/** What a message box is answered with: the index of the button, and the state of its checkbox. */
interface BoxAnswer {
  response: number;
  checkboxChecked: boolean;
}

/** The real app in real Electron, with a profile of its own. */
export class DesktopApp {
  /** The main process; Playwright forgets it as soon as it has ended. */
  readonly main: ChildProcess;

  private constructor(
    readonly electron: ElectronApplication,
    readonly page: Page,
    readonly profile: string,
    readonly configDir: string,
  ) {
    this.main = electron.process();
  }

  /** Starts it and waits for its window; the server may take a little longer, see `ready`. */
  static async launch(options: LaunchOptions = {}): Promise<DesktopApp> {
    const profile = options.profile ?? (await temporaryFolder('pilotlight-e2e'));
    const configDir = path.join(profile, 'config');
    if (options.models) await putModels(path.join(profile, 'models'), options.models);
    if (!options.profile) {
      const settings = JSON.stringify(options.settings ?? SETTLED);
      await fs.writeFile(path.join(profile, 'desktop.json'), settings);
      if (options.isFirstRun !== true) {
        const welcomed = JSON.stringify({ preferences: { welcomed: true } });
        await fs.writeFile(path.join(profile, 'settings.json'), welcomed);
      }
    }
    const args = options.args ?? ['--port=0'];
    const electron = await _electron.launch({
      ...programOf([`--user-data-dir=${profile}`, ...args]),
      // As the app itself has it; Playwright would make every page light.
      colorScheme: null,
      env: { ...environment(configDir), ...options.env },
    });
    const page = await electron.firstWindow();
    return new DesktopApp(electron, page, profile, configDir);
  }

  get chat(): ChatPage {
    return new ChatPage(this.page);
  }

  /** Waits until the chat is there and connected and the tray shows it; gives the server's address. */
  async ready(): Promise<string> {
    await this.page.waitForURL(/^http:/);
    await this.chat.ready();
    // The tray follows a little later.
    await this.trayItem('copy-address', `Copy API address (${this.url}/v1)`);
    return this.url;
  }

  /** Address of the server whose page the window shows. */
  get url(): string {
    return new URL(this.page.url()).origin;
  }

  /** The tray's menu, top to bottom, each submenu's entries after its own. */
  trayItems(): Promise<Pick<MenuItem, 'id' | 'label' | 'enabled' | 'checked'>[]> {
    return this.electron.evaluate(() => {
      const flat = (items: readonly MenuItem[]): MenuItem[] =>
        items.flatMap((item) => [item, ...flat(item.submenu?.items ?? [])]);
      return flat(globalThis.pilotlightE2e?.tray.menu.items ?? [])
        .filter((item) => item.type !== 'separator')
        .map(({ id, label, enabled, checked }) => ({ id, label, enabled, checked }));
    });
  }

  /** Waits until the tray has an entry whose id and label are these; gives its id. */
  async trayItem(id: string | RegExp, label: string | RegExp = /./): Promise<string> {
    const fits = (text: string, wanted: string | RegExp) =>
      typeof wanted === 'string' ? text === wanted : wanted.test(text);
    let found: string | undefined;
    await expect
      .poll(async () => {
        const items = await this.trayItems();
        found = items.find((item) => fits(item.id, id) && fits(item.label, label))?.id;
        return found === undefined ? items.map((item) => `${item.id}: ${item.label}`) : null;
      })
      .toBeNull();
    return found ?? '';
  }

  /** Name of the tray's picture, without its tone. */
  trayPicture(): Promise<string | undefined> {
    return this.electron.evaluate(() =>
      globalThis.pilotlightE2e?.tray.picture.replace(/-[^-]*$/, ''),
    );
  }

  /** Clicks an entry of the tray's menu, as the system would, once it is there and can be clicked. */
  async clickTray(id: string): Promise<void> {
    const click = () =>
      this.electron.evaluate((_electron, itemId) => {
        const item = globalThis.pilotlightE2e?.tray.menu.getMenuItemById(itemId);
        if (!item?.enabled) return false;
        item.click();
        return true;
      }, id);
    await expect.poll(click, `the tray's entry ${id} can be clicked`).toBe(true);
  }

  /** Waits until the tray ticks this model and no other. */
  async expectTick(id: string): Promise<void> {
    const ticked = async () =>
      (await this.trayItems()).filter((item) => item.checked && item.id?.startsWith('model:'));
    await expect.poll(async () => (await ticked()).map((item) => item.id)).toEqual([`model:${id}`]);
  }

  isVisible(): Promise<boolean> {
    return this.electron.evaluate(
      // The main window is made first.
      ({ BrowserWindow }) => BrowserWindow.fromId(1)?.isVisible() ?? false,
    );
  }

  /** The title bar's text. */
  title(): Promise<string> {
    return this.electron.evaluate(({ BrowserWindow }) => BrowserWindow.fromId(1)?.getTitle() ?? '');
  }

  /** Closes the window as its close button does. */
  async closeWindow(): Promise<void> {
    await this.electron.evaluate(({ BrowserWindow }) => BrowserWindow.fromId(1)?.close());
  }

  /** Process ids of the server and of its engines. */
  pids(): Promise<{ server: number | null; engines: number[] }> {
    return this.electron.evaluate(
      () => globalThis.pilotlightE2e?.pids() ?? { server: null, engines: [] },
    );
  }

  /** All processes of the app, Chromium's among them. */
  async processes(): Promise<number[]> {
    return processTree(await this.electron.evaluate(() => process.pid));
  }

  /**
   * From now on message boxes are answered at once, in this order, and the last answer again and again; with no answer
   * they stay open. Read them with `boxes`.
   */
  async answerBoxes(...answers: BoxAnswer[]): Promise<void> {
    await this.electron.evaluate(({ dialog }, given) => {
      const asked: { message: string; detail: string; buttons: string[] }[] = [];
      Object.assign(globalThis, { boxes: asked });
      const answer = (...args: unknown[]) => {
        const options = args.at(-1) as Electron.MessageBoxOptions;
        const { message, detail = '', buttons = [] } = options;
        asked.push({ message, detail, buttons });
        const next = given[Math.min(asked.length, given.length) - 1];
        return next ? Promise.resolve(next) : new Promise(() => undefined);
      };
      Object.assign(dialog, { showMessageBox: answer });
    }, answers);
  }

  /** Message boxes since `answerBoxes`. */
  boxes(): Promise<{ message: string; detail: string; buttons: string[] }[]> {
    return this.electron.evaluate(
      () =>
        (
          globalThis as unknown as {
            boxes: { message: string; detail: string; buttons: string[] }[];
          }
        ).boxes,
    );
  }

  /** From now on links for the system's browser are only written down; read them with `openedLinks`. */
  async catchLinks(): Promise<void> {
    await this.electron.evaluate(({ shell }) => {
      const links: string[] = [];
      Object.assign(globalThis, { links });
      Object.assign(shell, { openExternal: async (url: string) => void links.push(url) });
    });
  }

  openedLinks(): Promise<string[]> {
    return this.electron.evaluate(() => (globalThis as unknown as { links: string[] }).links);
  }

  /** Waits until the app has ended by itself. */
  async ended(): Promise<void> {
    if (!this.#hasEnded()) await new Promise((resolve) => this.main.once('exit', resolve));
  }

  /** Ends the app, however it stands. */
  async close(): Promise<void> {
    if (!this.#hasEnded()) await this.electron.close();
  }

  #hasEnded(): boolean {
    return this.main.exitCode !== null || this.main.signalCode !== null;
  }
}

/** Starts the app without driving it, to see what it prints. The caller ends it, where it does not end by itself. */
export async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; printed: () => string }> {
  const program = programOf(args);
  const executable =
    program.executablePath ?? ((await import('electron')).default as unknown as string);
  const child = spawn(executable, ['--no-sandbox', ...program.args], {
    env: { ...environment(os.tmpdir()), ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  return { child, printed: () => printed };
}

/** The packaged app where the environment names one, else the bundles of this clone. */
function programOf(args: readonly string[]): { executablePath?: string; args: string[] } {
  const executablePath = process.env.PILOTLIGHT_E2E_EXECUTABLE;
  return executablePath ? { executablePath, args: [...args] } : { args: [REPO, ...args] };
}

function environment(configDir: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/_proxy$/i.test(entry[0]),
  );
  return {
    ...Object.fromEntries(inherited),
    PILOTLIGHT_E2E: '1',
    XDG_CONFIG_HOME: configDir,
  };
}

interface Fixtures {
  /** Starts the app; whatever it started is ended and its profiles are removed after the test. */
  launch: (options?: LaunchOptions) => Promise<DesktopApp>;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  launch: async ({}, use) => {
    const apps: DesktopApp[] = [];
    await use(async (options) => {
      const app = await DesktopApp.launch(options);
      apps.push(app);
      return app;
    });
    for (const app of apps) await app.close();
    for (const profile of new Set(apps.map((app) => app.profile))) await removeFolder(profile);
  },
});

/** Waits until none of the processes runs. */
export async function expectEnded(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isRunning), { timeout: 10_000 }).toEqual([]);
}
