import path from 'node:path';
import { Menu, nativeImage, Tray } from 'electron';
import { type MenuAction, type MenuEntry, trayMenu, trayToolTip } from './menu-model.js';
import type { DesktopState } from './server-status.js';

export interface AppTrayOptions {
  /** Folder with tray.png and trayTemplate.png, each also as @2x. */
  icons: string;
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
  #shown = '';

  /** To be made once the app is ready. */
  constructor(options: AppTrayOptions, desktop: DesktopState) {
    this.#options = options;
    this.#desktop = desktop;
    this.#tray = new Tray(trayImage(options.icons));
    // On macOS a click opens the menu; elsewhere it brings the window.
    if (process.platform !== 'darwin') {
      this.#tray.on('click', () => options.onAction({ type: 'open' }));
    }
    this.update(desktop);
  }

  /** The menu as it is shown. */
  get menu(): Menu {
    return this.#menu;
  }

  /** Position on the screen; all 0 where no tray shows the icon, and on Linux trays that do not tell. */
  get bounds(): Electron.Rectangle {
    return this.#tray.getBounds();
  }

  /** Shows a state. The menu is only replaced when it looks different: a replaced menu closes under the pointer. */
  update(desktop: DesktopState): void {
    this.#desktop = desktop;
    const entries = trayMenu(desktop, this.#options.openAtLogin());
    const toolTip = trayToolTip(desktop);
    const shown = JSON.stringify([entries, toolTip]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setToolTip(toolTip);
    const act = (action: MenuAction) => {
      this.#options.onAction(action);
      // The system has moved the tick by itself; only a new menu has it where it belongs.
      this.#shown = '';
      this.update(this.#desktop);
    };
    this.#menu = Menu.buildFromTemplate(entries.map((entry) => menuItem(entry, act)));
    this.#tray.setContextMenu(this.#menu);
  }

  /** Windows: a message beside the icon. */
  displayBalloon(title: string, content: string): void {
    this.#tray.displayBalloon({ title, content });
  }

  destroy(): void {
    this.#tray.destroy();
  }
}

function menuItem(
  entry: MenuEntry,
  act: (action: MenuAction) => void,
): Electron.MenuItemConstructorOptions {
  if (entry.kind === 'separator') return { type: 'separator' };
  const { action } = entry;
  return {
    id: entry.id,
    label: entry.label,
    enabled: entry.enabled,
    type: entry.checked === null ? 'normal' : 'checkbox',
    ...(entry.checked === null ? {} : { checked: entry.checked }),
    ...(entry.toolTip === null ? {} : { toolTip: entry.toolTip }),
    ...(action === null ? {} : { click: () => act(action) }),
  };
}

function trayImage(icons: string): Electron.NativeImage {
  if (process.platform !== 'darwin') {
    return nativeImage.createFromPath(path.join(icons, 'tray.png'));
  }
  const image = nativeImage.createFromPath(path.join(icons, 'trayTemplate.png'));
  image.setTemplateImage(true);
  return image;
}
