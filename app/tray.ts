import fs from 'node:fs';
import path from 'node:path';
import { Menu, nativeImage, nativeTheme, Tray } from 'electron';
import type { MenuAction, MenuEntry } from './menu-entry.js';
import { menuOutline, trayMenu, trayToolTip } from './menu-model.js';
import type { DesktopState } from './server-status.js';
import { trayFile, trayPicture, trayTone } from './tray-icon.js';

/** Shortest time between two changes, in milliseconds: under load there are many a second, which nobody can read. */
const UPDATE_MS = 500;
/**
 * The same for a menu that only counts otherwise, in milliseconds. Linux does not tell when the menu is open, and a
 * replaced one closes under the pointer in some trays: that leaves a person the time to find what they want.
 */
const COUNT_MS = process.platform === 'linux' ? 3_000 : UPDATE_MS;
/** Longest time that an open menu is held still, in milliseconds, should its end not be told. */
const OPEN_MS_MAX = 30_000;

export interface AppTrayOptions {
  /** Folder of the pictures: see trayFile(). */
  pictures: string;
  /** State of the system's switch; null: this system has none. */
  openAtLogin(): boolean | null;
  onAction(action: MenuAction): void;
}

/** The icon in the system's tray and its menu. */
export class AppTray {
  readonly #options: AppTrayOptions;
  readonly #tray: Tray;
  #menu = Menu.buildFromTemplate([]);
  #desktop: DesktopState;
  #picture: string;
  #toolTip = '';
  /** What the menu was made of; '': it has to be made anew. */
  #shown = '';
  #outline = '';
  // All on the clock of performance.now().
  #updatedAt = Number.NEGATIVE_INFINITY;
  #menuAt = Number.NEGATIVE_INFINITY;
  #openedAt = Number.NEGATIVE_INFINITY;
  #next: { at: number; timer: NodeJS.Timeout } | null = null;

  /** To be made once the app is ready. */
  constructor(options: AppTrayOptions, desktop: DesktopState) {
    this.#options = options;
    this.#desktop = desktop;
    this.#picture = this.#pictureFile();
    this.#tray = new Tray(this.#image(this.#picture));
    // On macOS a click opens the menu; elsewhere it brings the window.
    if (process.platform !== 'darwin') {
      this.#tray.on('click', () => options.onAction({ type: 'open' }));
    }
    nativeTheme.on('updated', this.#showPicture);
    this.#show();
  }

  /** The menu as it is shown. */
  get menu(): Menu {
    return this.#menu;
  }

  /** Name of the picture that is shown, without scale and ending. */
  get picture(): string {
    return this.#picture;
  }

  /** Position on the screen; all 0 where no tray shows the icon, and on Linux trays that do not tell. */
  get bounds(): Electron.Rectangle {
    return this.#tray.getBounds();
  }

  /** Shows a state: soon, and its menu once the one that is shown can go. */
  update(desktop: DesktopState): void {
    this.#desktop = desktop;
    this.#showAt(this.#updatedAt + UPDATE_MS);
  }

  /** Windows: a message beside the icon. */
  displayBalloon(title: string, content: string): void {
    this.#tray.displayBalloon({ title, content });
  }

  destroy(): void {
    if (this.#next) clearTimeout(this.#next.timer);
    nativeTheme.off('updated', this.#showPicture);
    this.#tray.destroy();
  }

  /** At this time, or at an earlier one that is planned already. */
  #showAt(at: number): void {
    if (this.#next && this.#next.at <= at) return;
    if (this.#next) clearTimeout(this.#next.timer);
    const wait = at - performance.now();
    if (wait <= 0) this.#show();
    else this.#next = { at, timer: setTimeout(() => this.#show(), wait) };
  }

  #show(): void {
    if (this.#next) clearTimeout(this.#next.timer);
    this.#next = null;
    this.#updatedAt = performance.now();
    this.#showPicture();
    const toolTip = trayToolTip(this.#desktop);
    if (toolTip !== this.#toolTip) this.#tray.setToolTip(toolTip);
    this.#toolTip = toolTip;
    const entries = trayMenu(this.#desktop, this.#options.openAtLogin());
    const shown = JSON.stringify(entries);
    if (shown === this.#shown) return;
    const outline = menuOutline(entries);
    const free = this.#menuAt + (outline === this.#outline ? COUNT_MS : 0);
    const at = Math.max(free, this.#openedAt + OPEN_MS_MAX);
    if (at > this.#updatedAt) {
      this.#showAt(at);
      return;
    }
    this.#shown = shown;
    this.#outline = outline;
    this.#replaceMenu(entries);
  }

  #replaceMenu(entries: readonly MenuEntry[]): void {
    const menu = Menu.buildFromTemplate(entries.map((entry) => menuItem(entry, this.#act)));
    menu.on('menu-will-show', () => {
      if (menu === this.#menu) this.#openedAt = performance.now();
    });
    menu.on('menu-will-close', () => {
      if (menu !== this.#menu) return;
      this.#openedAt = Number.NEGATIVE_INFINITY;
      if (this.#next) this.#show();
    });
    this.#menuAt = performance.now();
    this.#openedAt = Number.NEGATIVE_INFINITY;
    this.#menu = menu;
    this.#tray.setContextMenu(menu);
  }

  readonly #act = (action: MenuAction): void => {
    this.#options.onAction(action);
    // The system has moved the tick by itself; only a new menu has it where it belongs.
    this.#shown = '';
    this.#outline = '';
    this.#openedAt = Number.NEGATIVE_INFINITY;
    this.#show();
  };

  readonly #showPicture = (): void => {
    const file = this.#pictureFile();
    if (file === this.#picture) return;
    this.#picture = file;
    this.#tray.setImage(this.#image(file));
  };

  #pictureFile(): string {
    const { platform, env } = process;
    // Windows lets the task bar be dark beside light windows.
    const isDark =
      platform === 'win32'
        ? nativeTheme.shouldUseDarkColorsForSystemIntegratedUI
        : nativeTheme.shouldUseDarkColors;
    const tone = trayTone(platform, isDark, env.XDG_CURRENT_DESKTOP);
    return trayFile(trayPicture(this.#desktop), tone);
  }

  #image(file: string): Electron.NativeImage {
    const { pictures } = this.#options;
    if (process.platform === 'linux') {
      // Panels are given one size and make their own of it, mostly 22 or 24 pixels: better of more than of fewer.
      return nativeImage.createFromBuffer(fs.readFileSync(path.join(pictures, `${file}@2x.png`)));
    }
    const image = nativeImage.createFromPath(path.join(pictures, `${file}.png`));
    image.setTemplateImage(process.platform === 'darwin');
    return image;
  }
}

function menuItem(
  entry: MenuEntry,
  act: (action: MenuAction) => void,
): Electron.MenuItemConstructorOptions {
  if (entry.kind === 'separator') return { type: 'separator' };
  const { id, label } = entry;
  if (entry.kind === 'submenu') {
    return { type: 'submenu', id, label, submenu: entry.entries.map((own) => menuItem(own, act)) };
  }
  const { action } = entry;
  return {
    id,
    label,
    enabled: entry.enabled,
    type: entry.checked === null ? 'normal' : 'checkbox',
    ...(entry.checked === null ? {} : { checked: entry.checked }),
    ...(entry.toolTip === null ? {} : { toolTip: entry.toolTip }),
    ...(action === null ? {} : { click: () => act(action) }),
  };
}
