import { BrowserWindow, screen } from 'electron';
import { guardPage, pageBackground, pagePreferences } from './page-guard.js';
import { PageMail } from './page-mail.js';
import { quickBounds } from './quick-bounds.js';

/** Of the page's address. */
const ROUTE = '#/quick';

export interface QuickWindowOptions {
  preload: string;
  icon: string;
  /** Of the server's page; null: there is none yet. */
  origin(): string | null;
}

/**
 * The small window of the quick question: over everything, near the top of the screen where the pointer is. Made when it
 * is first asked for; from then on hidden and shown, with the answer in it going on.
 */
export class QuickWindow {
  readonly #options: QuickWindowOptions;
  #open: { window: BrowserWindow; mail: PageMail; origin: string } | null = null;
  #height = 0;

  constructor(options: QuickWindowOptions) {
    this.#options = options;
  }

  get browserWindow(): BrowserWindow | null {
    return this.#open?.window ?? null;
  }

  get mail(): PageMail | null {
    return this.#open?.mail ?? null;
  }

  /** What the shortcut does: in front it goes, else it comes to the front. */
  toggle(): void {
    if (this.#open?.window.isFocused()) this.hide();
    else this.show(null);
  }

  /**
   * @param text What its field is filled with, never sent; null: it stays as it is.
   * @returns false where there is no page to show yet
   */
  show(text: string | null): boolean {
    const origin = this.#options.origin();
    if (origin === null) return false;
    const isThere = this.#open?.origin === origin;
    const { mail, window } = isThere && this.#open ? this.#open : this.#make(origin);
    this.#place(window);
    mail.send('bridge:quick-ask-shown', { text });
    const toFront = () => {
      window.show();
      window.focus();
    };
    if (isThere) toFront();
    // An empty frame would flash before.
    else window.once('ready-to-show', toFront);
    return true;
  }

  hide(): void {
    this.#open?.window.hide();
  }

  /** @param pixels of its content */
  setHeight(pixels: number): void {
    this.#height = pixels;
    if (this.#open) this.#place(this.#open.window);
  }

  close(): void {
    this.#open?.window.destroy();
    this.#open = null;
  }

  #make(origin: string): { window: BrowserWindow; mail: PageMail } {
    this.close();
    const window = new BrowserWindow({
      show: false,
      frame: false,
      resizable: false,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      title: 'Pilotlight',
      icon: this.#options.icon,
      backgroundColor: pageBackground(),
      // On a Mac it comes over the program that is in front, without taking the person to another space.
      ...(process.platform === 'darwin' ? { type: 'panel' } : {}),
      webPreferences: pagePreferences(this.#options.preload),
    });
    window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true });
    guardPage(window, () => origin);
    const open = { window, mail: new PageMail(window.webContents), origin };
    this.#open = open;
    // Its page is gone; the next one starts anew, and the chat is with the server.
    window.webContents.on('render-process-gone', () => {
      if (this.#open === open) this.close();
    });
    window.on('closed', () => {
      if (this.#open === open) this.#open = null;
    });
    window.loadURL(`${origin}/${ROUTE}`).catch(() => {
      if (this.#open === open) this.close();
    });
    return open;
  }

  #place(window: BrowserWindow): void {
    const display = window.isVisible()
      ? screen.getDisplayMatching(window.getBounds())
      : screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
    window.setBounds(quickBounds(display.workArea, this.#height));
  }
}
