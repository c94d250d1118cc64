import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { app, clipboard, nativeTheme, session } from 'electron';
import type { ServerState } from '../protocol/models.js';
import { setApplicationMenu } from './application-menu.js';
import type { Arguments } from './arguments.js';
import { Closing } from './closing.js';
import { bridgeHandlers, openFolder } from './desktop-bridge.js';
import { Dialogs } from './dialogs.js';
import { publishE2eHook } from './e2e-hook.js';
import { handleBridge } from './ipc.js';
import { onSecondInstance, quitCleanly } from './lifecycle.js';
import { registerLinks } from './link-scheme.js';
import { opensAtLogin, setOpensAtLogin, wasOpenedAtLogin } from './login-item.js';
import type { MenuAction } from './menu-entry.js';
import type { AppFiles } from './paths.js';
import { Places } from './places.js';
import { QuickShortcut } from './quick-shortcut.js';
import { QuickWindow } from './quick-window.js';
import { ServerProcess } from './server-process.js';
import type { DesktopState, ServerStatus } from './server-status.js';
import { guardSession } from './session-guard.js';
import { SettingsStore } from './settings.js';
import { Terminal } from './terminal.js';
import { AppTray } from './tray.js';
import { appUpdates } from './updates/app-updates.js';
import type { Updates } from './updates/updates.js';
import { ChatWindow } from './window.js';
import { say, speak } from './words.js';

/** Puts the parts together: the main window and the small one, one tray icon, one server process. To be made once, when the app is ready. */
export class Desktop {
  readonly #desktop: DesktopState = { server: { kind: 'starting' }, state: null };
  readonly #modelsDir: string;
  readonly #link: string | null;
  readonly #window: ChatWindow;
  readonly #places: Places;
  readonly #quick: QuickWindow;
  readonly #shortcut: QuickShortcut;
  readonly #updates: Updates;
  readonly #dialogs: Dialogs;
  readonly #tray: AppTray;
  readonly #server: ServerProcess;
  readonly #terminal = new Terminal();
  /** Key of the window, new at each launch. */
  readonly #windowKey = randomBytes(32).toString('base64url');
  readonly #dataDir = app.getPath('userData');
  #theme: ServerState['preferences']['theme'] = 'system';

  constructor(args: Arguments, files: AppFiles) {
    // Until the server has said what the person wants.
    speak('system', app.getPreferredSystemLanguages());
    const dataDir = this.#dataDir;
    this.#link = args.link;
    const settings = new SettingsStore(dataDir);
    this.#modelsDir = args.modelsDir ? path.resolve(args.modelsDir) : path.join(dataDir, 'models');
    this.#window = new ChatWindow({
      preload: files.preload,
      icon: path.join(files.icons, '256x256.png'),
      settings,
      showAtOnce: (!args.hidden && !wasOpenedAtLogin()) || args.link !== null,
      onClose: () => void closing.close(),
      onPageFailed: (sentence) => void this.#pageFailed(sentence),
    });
    this.#dialogs = new Dialogs(this.#window.browserWindow);
    this.#quick = new QuickWindow({
      preload: files.preload,
      icon: path.join(files.icons, '256x256.png'),
      origin: () => this.#window.origin,
    });
    this.#places = new Places({
      window: this.#window,
      quick: this.#quick,
      dialogs: this.#dialogs,
    });
    const { mail } = this.#places;
    this.#shortcut = new QuickShortcut(
      () => this.#quick.toggle(),
      (state) => mail.send('bridge:quick-ask-changed', state),
    );
    this.#updates = appUpdates(
      (state) => mail.send('bridge:update-changed', state),
      () => this.#allowClose(),
    );
    const act = (action: MenuAction) => this.#act(action);
    this.#tray = new AppTray(
      { pictures: path.join(files.icons, 'tray'), openAtLogin: opensAtLogin, onAction: act },
      this.#desktop,
    );
    this.#setMenu();
    app.setAboutPanelOptions({
      applicationName: 'Pilotlight',
      applicationVersion: app.getVersion(),
      copyright: 'The Pilotlight team, MIT licence',
      iconPath: path.join(files.icons, '256x256.png'),
    });
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
        this.#followPreferences(state.preferences);
        this.#terminal.follow(state);
        this.#tray.update(this.#desktop);
      },
      onSelectFailed: (model, message) => {
        const name = this.#desktop.state?.models.find(({ id }) => id === model)?.name ?? model;
        this.#dialogs.warn(say('not_loaded', { model: name }), message);
      },
    });
  }

  /** Starts the server and shows the window as soon as it has something to show. */
  async start(): Promise<void> {
    registerLinks();
    handleBridge(
      bridgeHandlers({
        windowKey: this.#windowKey,
        quick: this.#quick,
        shortcut: this.#shortcut,
        updates: this.#updates,
        modelsDir: () => this.#desktop.state?.models_dir ?? this.#modelsDir,
        dataDir: this.#dataDir,
        logFile: path.join(this.#dataDir, 'logs', 'server.log'),
        chooseFolder: (from) => this.#dialogs.chooseFolder(from),
        openQuickAsk: () => this.#places.openQuickAsk(null),
        openPage: (hash) => {
          this.#quick.hide();
          this.#places.go({ hash, text: null });
        },
        listening: (page) => this.#places.listening(page),
      }),
      {
        mainFrames: () => this.#places.mainFrames(),
        origin: () => this.#window.origin,
      },
    );
    quitCleanly(
      () => this.#allowClose(),
      async () => {
        this.#updates.close();
        this.#shortcut.close();
        await this.#server.close();
        this.#tray.destroy();
      },
    );
    onSecondInstance((link) => {
      if (link === null) this.#window.show();
      else this.openLink(link);
    });
    app.on('activate', () => this.#window.show());
    publishE2eHook({
      tray: this.#tray,
      pids: () => this.#server.pids(),
      quickAsk: () => this.#quick.toggle(),
    });
    await guardSession(session.defaultSession, () => this.#window.origin);
    this.#server.start();
    if (this.#link !== null) this.openLink(this.#link);
  }

  /** Somebody followed a link into the app. */
  openLink(link: string): void {
    this.#places.openLink(link);
  }

  #allowClose(): void {
    this.#window.allowClose();
    this.#quick.close();
  }

  #followPreferences(preferences: ServerState['preferences']): void {
    this.#shortcut.set(preferences.quick_ask_shortcut);
    this.#updates.setOn(preferences.check_for_updates);
    if (speak(preferences.language, app.getPreferredSystemLanguages())) this.#setMenu();
    if (preferences.theme === this.#theme) return;
    this.#theme = preferences.theme;
    // What the system draws, and the window before its page is there, goes with the page.
    nativeTheme.themeSource = preferences.theme;
  }

  #setMenu(): void {
    setApplicationMenu((action) => this.#act(action));
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
      case 'set-serving':
        this.#server.setServing(action.enabled);
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
      case 'quick-ask':
        this.#places.openQuickAsk(null);
        break;
      case 'check-for-update':
        void this.#updates.check();
        this.#places.go({ hash: '#/settings/general/check_for_updates', text: null });
        break;
      case 'about':
        app.showAboutPanel();
        break;
      case 'open-models-folder':
        openFolder(this.#desktop.state?.models_dir ?? this.#modelsDir).catch((error: unknown) =>
          this.#dialogs.warn(say('folder_failed'), sentenceOf(error)),
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
      this.#places.pageIsThere();
    }
    if (status.kind === 'ready' && before.kind === 'restarting') {
      this.#dialogs.notify(say('restarted'), say('restarted_why', { reason: before.sentence }));
    }
    this.#tray.update(this.#desktop);
    if (status.kind === 'failed') void this.#serverFailed(status.sentence);
  }

  async #serverFailed(sentence: string): Promise<void> {
    const answer = await this.#dialogs.askRetryOrQuit(say('cannot_start'), sentence);
    if (answer === 'retry') this.#server.start();
    else app.quit();
  }

  async #pageFailed(sentence: string): Promise<void> {
    const answer = await this.#dialogs.askRetryOrQuit(say('window_failed'), sentence);
    if (answer === 'retry') this.#window.reload();
    else app.quit();
  }

  #setOpenAtLogin(open: boolean): void {
    try {
      setOpensAtLogin(open);
    } catch (error) {
      this.#dialogs.warn(say('login_failed'), sentenceOf(error));
    }
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function titleSentence(status: ServerStatus): string | null {
  switch (status.kind) {
    case 'starting':
      return say('title_starting');
    case 'restarting':
      return status.sentence;
    case 'failed':
      return say('title_not_running');
    case 'stopping':
      return say('title_stopping');
    case 'stopped':
      return say('title_stopped');
    case 'ready':
      return null;
  }
}
