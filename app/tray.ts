import fs from 'node:fs';
import path from 'node:path';
import { Menu, nativeImage, nativeTheme, Tray } from 'electron';
import type { MenuAction, MenuEntry } from './menu-entry.js';
import { trayMenu, trayToolTip } from './menu-model.js';
import type { DesktopState } from './server-status.js';
import { trayFile, trayPicture, trayTone } from './tray-icon.js';

/**
 * Shortest time between two menus, in milliseconds: under load the state changes many times a second, which nobody can
 * read, and some trays draw the whole menu anew.
 */
const UPDATE_MS = 500;
/** Longest time that a menu is held still while it is open, in milliseconds: not every tray tells that it has closed. */
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
  /** What the menu and the tool tip were made of. */
  #shown = '';
  #picture = '';
  /** On the clock of performance.now(). */
  #shownAt = Number.NEGATIVE_INFINITY;
  #openedAt = Number.NEGATIVE_INFINITY;
  #later: NodeJS.Timeout | null = null;

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
    this.#showMenu();
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

  /** Shows a state: soon, and the menu once it is closed, since a replaced menu closes under the pointer. */
  update(desktop: DesktopState): void {
    this.#desktop = desktop;
    if (this.#later) return;
    const now = performance.now();
    const free = Math.max(this.#shownAt + UPDATE_MS, this.#openedAt + OPEN_MS_MAX);
    if (free <= now) this.#show();
    else this.#later = setTimeout(() => this.#show(), free - now);
  }

  /** Windows: a message beside the icon. */
  displayBalloon(title: string, content: string): void {
    this.#tray.displayBalloon({ title, content });
  }

  destroy(): void {
    if (this.#later) clearTimeout(this.#later);
    nativeTheme.off('updated', this.#showPicture);
    this.#tray.destroy();
  }

  #show(): void {
    if (this.#later) clearTimeout(this.#later);
    this.#later = null;
    this.#shownAt = performance.now();
    this.#showPicture();
    this.#showMenu();
  }

  /** The menu is only replaced when it looks different. */
  #showMenu(): void {
    const entries = trayMenu(this.#desktop, this.#options.openAtLogin());
    const toolTip = trayToolTip(this.#desktop);
    const shown = JSON.stringify([entries, toolTip]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setToolTip(toolTip);
    const menu = Menu.buildFromTemplate(entries.map((entry) => menuItem(entry, this.#act)));
    menu.on('menu-will-show', () => {
      if (menu === this.#menu) this.#openedAt = performance.now();
    });
    menu.on('menu-will-close', () => {
      if (menu === this.#menu) this.#closed();
    });
    this.#openedAt = Number.NEGATIVE_INFINITY;
    this.#menu = menu;
    this.#tray.setContextMenu(menu);
  }

  #closed(): void {
    this.#openedAt = Number.NEGATIVE_INFINITY;
    if (!this.#later) return;
    clearTimeout(this.#later);
    this.#later = null;
    this.update(this.#desktop);
  }

  readonly #act = (action: MenuAction): void => {
    this.#options.onAction(action);
    // The system has moved the tick by itself; only a new menu has it where it belongs.
    this.#shown = '';
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
