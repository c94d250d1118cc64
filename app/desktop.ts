import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { app, clipboard, session, shell } from 'electron';
import { DEFAULT_HOST } from '../protocol/config.js';
import { setApplicationMenu } from './application-menu.js';
import type { Arguments } from './arguments.js';
import { Closing } from './closing.js';
import { Dialogs } from './dialogs.js';
import { publishE2eHook } from './e2e-hook.js';
import { handleBridge } from './ipc.js';
import { quitCleanly } from './lifecycle.js';
import { opensAtLogin, setOpensAtLogin, wasOpenedAtLogin } from './login-item.js';
import type { MenuAction } from './menu-entry.js';
import { isWebLink } from './navigation.js';
import type { AppFiles } from './paths.js';
import { ServerProcess } from './server-process.js';
import type { DesktopState, ServerStatus } from './server-status.js';
import { guardSession } from './session-guard.js';
import { SettingsStore } from './settings.js';
import { Terminal } from './terminal.js';
import { AppTray } from './tray.js';
import { ChatWindow } from './window.js';

/** Puts the parts together: one window, one tray icon, one server process. To be made once, when the app is ready. */
export class Desktop {
  readonly #desktop: DesktopState = { server: { kind: 'starting' }, state: null };
  readonly #modelsDir: string;
  readonly #window: ChatWindow;
  readonly #dialogs: Dialogs;
  readonly #tray: AppTray;
  readonly #server: ServerProcess;
  readonly #terminal = new Terminal();
  /** Key of the window, new at each launch. */
  readonly #windowKey = randomBytes(32).toString('base64url');

  constructor(args: Arguments, files: AppFiles) {
    const dataDir = app.getPath('userData');
    const settings = new SettingsStore(dataDir);
    this.#modelsDir = args.modelsDir ? path.resolve(args.modelsDir) : path.join(dataDir, 'models');
    this.#window = new ChatWindow({
      preload: files.preload,
      icon: path.join(files.icons, '256x256.png'),
      settings,
      showAtOnce: !args.hidden && !wasOpenedAtLogin(),
      onClose: () => void closing.close(),
      onPageFailed: (sentence) => void this.#pageFailed(sentence),
    });
    this.#dialogs = new Dialogs(this.#window.browserWindow);
    const act = (action: MenuAction) => this.#act(action);
    this.#tray = new AppTray(
      { pictures: path.join(files.icons, 'tray'), openAtLogin: opensAtLogin, onAction: act },
      this.#desktop,
    );
    setApplicationMenu(act);
    const closing = new Closing({
      window: this.#window,
      tray: this.#tray,
      dialogs: this.#dialogs,
      settings,
      quit: () => app.quit(),
    });
    this.#server = new ServerProcess({
      entries: { server: files.server, engine: files.engine },
      config: {
        host: DEFAULT_HOST,
        port: args.port,
        modelsDir: this.#modelsDir,
        isModelsDirGiven: args.modelsDir !== null,
        builtInModelsDir: files.builtInModels,
        backendsDir: files.backends,
        dataDir,
        // A folder of somebody's own choice holds all that belongs to it, and can be moved.
        keychain: !app.commandLine.hasSwitch('user-data-dir'),
        foreignModels: !app.commandLine.hasSwitch('user-data-dir'),
        homeDir: app.getPath('home'),
        rendererDir: files.renderer,
        windowKey: this.#windowKey,
      },
      onStatus: (status) => this.#followServer(status),
      onState: (state) => {
        this.#desktop.state = state;
        this.#terminal.follow(state);
        this.#tray.update(this.#desktop);
      },
      onSelectFailed: (model, message) => {
        const name = this.#desktop.state?.models.find(({ id }) => id === model)?.name ?? model;
        this.#dialogs.warn(`${name} could not be loaded.`, message);
      },
    });
  }

  /** Starts the server and shows the window as soon as it has something to show. */
  async start(): Promise<void> {
    handleBridge(
      {
        'bridge:window-key': () => this.#windowKey,
        'bridge:open-models-folder': async () => {
          await this.#openModelsFolder();
          return undefined;
        },
        'bridge:open-external': async (url) => {
          if (!isWebLink(url)) throw new Error('Only http and https links can be opened.');
          await shell.openExternal(url);
          return undefined;
        },
      },
      {
        mainFrame: () => this.#window.browserWindow.webContents.mainFrame,
        origin: () => this.#window.origin,
      },
    );
    quitCleanly(
      () => this.#window.allowClose(),
      async () => {
        await this.#server.close();
        this.#tray.destroy();
      },
    );
    app.on('second-instance', () => this.#window.show());
    app.on('activate', () => this.#window.show());
    publishE2eHook({ tray: this.#tray, pids: () => this.#server.pids() });
    await guardSession(session.defaultSession, () => this.#window.origin);
    this.#server.start();
  }

  #act(action: MenuAction): void {
    switch (action.type) {
      case 'select-model':
        this.#server.selectModel(action.model);
        break;
      case 'unload-model':
        this.#server.unloadModel(action.model);
        break;
      case 'cancel-request':
        this.#server.cancelRequest(action.id);
        break;
      case 'start-server':
        this.#server.start();
        break;
      case 'stop-server':
        void this.#server.stop();
        break;
      case 'open':
        this.#window.show();
        break;
      case 'open-models-folder':
        this.#openModelsFolder().catch((error: unknown) =>
          this.#dialogs.warn('The models folder cannot be opened.', sentenceOf(error)),
        );
        break;
      case 'copy-address': {
        const url = this.#desktop.state?.url;
        if (url !== undefined) void clipboard.writeText(`${url}/v1`);
        break;
      }
      case 'set-open-at-login':
        this.#setOpenAtLogin(action.open);
        break;
      case 'quit':
        app.quit();
        break;
    }
  }

  #followServer(status: ServerStatus): void {
    const before = this.#desktop.server;
    this.#desktop.server = status;
    // What the last server said is not true any more, and the next one says all of it again.
    if (status.kind !== 'ready') this.#desktop.state = null;
    this.#window.say(titleSentence(status));
    if (status.kind === 'ready') {
      this.#terminal.ready(status.url);
      this.#window.load(status.url);
    }
    if (status.kind === 'ready' && before.kind === 'restarting') {
      this.#dialogs.notify(
        'The model server was started again',
        `${before.sentence} Answers in progress were cut off.`,
      );
    }
    this.#tray.update(this.#desktop);
    if (status.kind === 'failed') void this.#serverFailed(status.sentence);
  }

  async #serverFailed(sentence: string): Promise<void> {
    const answer = await this.#dialogs.askRetryOrQuit('The model server cannot start.', sentence);
    if (answer === 'retry') this.#server.start();
    else app.quit();
  }

  async #pageFailed(sentence: string): Promise<void> {
    const answer = await this.#dialogs.askRetryOrQuit('The window cannot be shown.', sentence);
    if (answer === 'retry') this.#window.reload();
    else app.quit();
  }

  /** @throws Error with a sentence for people */
  async #openModelsFolder(): Promise<void> {
    const folder = this.#desktop.state?.models_dir ?? this.#modelsDir;
    const problem = await shell.openPath(folder);
    if (problem !== '') throw new Error(`${folder} cannot be opened: ${problem}`);
  }

  #setOpenAtLogin(open: boolean): void {
    try {
      setOpensAtLogin(open);
    } catch (error) {
      this.#dialogs.warn('The start at login could not be changed.', sentenceOf(error));
    }
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function titleSentence(status: ServerStatus): string | null {
  switch (status.kind) {
    case 'starting':
      return 'starting…';
    case 'restarting':
      return status.sentence;
    case 'failed':
      return 'the model server is not running';
    case 'stopping':
      return 'the model server is stopping…';
    case 'stopped':
      return 'the model server is stopped; start it in the menu of the tray icon';
    case 'ready':
      return null;
  }
}
