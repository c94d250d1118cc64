import { BrowserWindow, type Rectangle, screen } from 'electron';
import { guardPage, pageBackground, pagePreferences } from './page-guard.js';
import type { SettingsStore } from './settings.js';
import { MINIMUM_SIZE, windowBounds } from './window-bounds.js';

/** A start slower than this shows the empty window, in milliseconds: the person sees that the app has started. */
const PATIENCE_MS = 1_500;
/** Pause before a page that failed to load is asked for again, in milliseconds. */
const RELOAD_MS = 500;
/** Moves and resizes come in bursts; the last of a burst is written, in milliseconds. */
const SAVE_MS = 400;

export interface ChatWindowOptions {
  preload: string;
  icon: string;
  settings: SettingsStore;
  /** Show it as soon as there is something to show. */
  showAtOnce: boolean;
  /** The person closes the window. The window stays; hiding it or quitting is up to the listener. */
  onClose(): void;
  /** The page's process ended by itself more often than a reload can mend; a sentence for people. */
  onPageFailed(sentence: string): void;
}

/** The main window. It shows the server's page and nothing else, and lives as long as the app. */
export class ChatWindow {
  readonly #options: ChatWindowOptions;
  readonly #window: BrowserWindow;
  #origin: string | null = null;
  /** What the page shows, such as "#/chat/1": it is found again after the page was loaded anew. */
  #hash = '';
  #pageTitle = 'Pilotlight';
  #sentence: string | null = null;
  #pageCrashes = 0;
  #mayClose = false;
  #saving: NodeJS.Timeout | null = null;

  /** To be made once the app is ready. */
  constructor(options: ChatWindowOptions) {
    this.#options = options;
    const { bounds, maximized } = options.settings.values;
    const [first, ...others] = workAreas();
    this.#window = new BrowserWindow({
      ...windowBounds(bounds, [first, ...others]),
      minWidth: Math.min(MINIMUM_SIZE.width, first.width),
      minHeight: Math.min(MINIMUM_SIZE.height, first.height),
      show: false,
      title: 'Pilotlight',
      icon: options.icon,
      backgroundColor: pageBackground(),
      autoHideMenuBar: true,
      webPreferences: pagePreferences(options.preload),
    });
    if (maximized && options.showAtOnce) this.#window.maximize();
    guardPage(this.#window, () => this.#origin);
    this.#followPage();
    this.#followBounds();
    this.#window.on('page-title-updated', (event, title) => {
      event.preventDefault();
      this.#pageTitle = title;
      this.#showTitle();
    });
    // An empty page in the window's background colour, for a server that takes its time.
    this.#window.loadURL('about:blank').catch(() => undefined);
    if (options.showAtOnce) this.#showWhenLoaded();
  }

  /** The window for dialogs that belong to it. */
  get browserWindow(): BrowserWindow {
    return this.#window;
  }

  get isVisible(): boolean {
    return this.#window.isVisible();
  }

  /** Origin of the page it shows, such as "http://127.0.0.1:7411"; null before there is one. */
  get origin(): string | null {
    return this.#origin;
  }

  /** Shows the server's page; a page that is already there stays, with the answers in it. */
  load(url: string): void {
    const { origin } = new URL(url);
    if (origin === this.#origin) return;
    this.#origin = origin;
    this.#load();
  }

  /** Loads the page again, after it failed. */
  reload(): void {
    this.#pageCrashes = 0;
    // What it showed may be why it failed.
    this.#hash = '';
    this.#load();
  }

  /** Brings it to the front from wherever it is. */
  show(): void {
    if (this.#window.isDestroyed()) return;
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.show();
    this.#window.focus();
  }

  hide(): void {
    this.#window.hide();
  }

  /** A sentence in the title bar, in place of the page's own title; null: none. */
  say(sentence: string | null): void {
    this.#sentence = sentence;
    this.#showTitle();
  }

  /** From now on closing closes. */
  allowClose(): void {
    this.#mayClose = true;
  }

  #showTitle(): void {
    if (this.#window.isDestroyed()) return;
    const page = this.#origin === null ? 'Pilotlight' : this.#pageTitle;
    this.#window.setTitle(this.#sentence === null ? page : `Pilotlight: ${this.#sentence}`);
  }

  #showWhenLoaded(): void {
    const window = this.#window;
    const timer = setTimeout(() => this.show(), PATIENCE_MS);
    const loaded = () => {
      if (this.#origin !== null && window.webContents.getURL().startsWith(this.#origin))
        this.show();
    };
    window.webContents.on('did-finish-load', loaded);
    window.once('show', () => {
      clearTimeout(timer);
      window.webContents.off('did-finish-load', loaded);
    });
    window.once('closed', () => clearTimeout(timer));
  }

  #load(): void {
    // A failure is told by did-fail-load as well, which asks for the page again.
    this.#window.loadURL(`${this.#origin}/${this.#hash}`).catch(() => undefined);
  }

  #followPage(): void {
    const { webContents } = this.#window;
    const loadAgain = () =>
      setTimeout(() => !this.#window.isDestroyed() && this.#load(), RELOAD_MS);
    webContents.on('did-fail-load', (_event, code, _description, _url, isMainFrame) => {
      const aborted = code === -3;
      if (isMainFrame && !aborted) loadAgain();
    });
    webContents.on('did-navigate-in-page', (_event, url, isMainFrame) => {
      if (isMainFrame) this.#hash = new URL(url).hash;
    });
    webContents.on('did-finish-load', () => {
      this.#pageCrashes = 0;
    });
    webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason === 'clean-exit' || this.#mayClose) return;
      console.error(`The window's page process ended: ${reason}.`);
      this.#pageCrashes += 1;
      if (this.#pageCrashes < 3) loadAgain();
      else this.#options.onPageFailed(`The chat page could not be shown (${reason}).`);
    });
  }

  #followBounds(): void {
    const window = this.#window;
    const save = () => {
      if (this.#saving) clearTimeout(this.#saving);
      this.#saving = null;
      // A hidden window has the bounds of before; a minimised one none worth keeping.
      if (!window.isVisible() || window.isMinimized()) return;
      this.#options.settings.update({
        bounds: window.getNormalBounds(),
        maximized: window.isMaximized(),
      });
    };
    const saveSoon = () => {
      this.#saving ??= setTimeout(save, SAVE_MS);
    };
    window.on('resize', saveSoon);
    window.on('move', saveSoon);
    window.on('maximize', saveSoon);
    window.on('unmaximize', saveSoon);
    window.on('close', (event) => {
      save();
      if (this.#mayClose) return;
      event.preventDefault();
      this.#options.onClose();
    });
    // Windows ends the session: holding the window open would hold up the system.
    window.on('session-end', () => this.allowClose());
    window.on('closed', () => {
      if (this.#saving) clearTimeout(this.#saving);
    });
  }
}

function workAreas(): [Rectangle, ...Rectangle[]] {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id);
  return [primary.workArea, ...others.map((display) => display.workArea)];
}
