/** What holds for every window that shows the server's page: one page, nothing of Node's, and no way out but links. */
import {
  type BrowserWindow,
  clipboard,
  Menu,
  nativeTheme,
  shell,
  type WebPreferences,
} from 'electron';
import { contextMenu } from './context-menu.js';
import { destination, isWebLink } from './navigation.js';

/** The page's own background (--page in renderer/styles/tokens.css), so that no window flashes in another colour. */
const BACKGROUND = { light: '#fcfcfd', dark: '#0e1015' };

export function pageBackground(): string {
  return nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light;
}

export function pagePreferences(preload: string): WebPreferences {
  return {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
    // Elsewhere Chromium would fetch dictionaries from the network.
    spellcheck: process.platform === 'darwin',
  };
}

/** @param origin of the server's page; null: there is none yet */
export function guardPage(window: BrowserWindow, origin: () => string | null): void {
  guardNavigation(window, origin);
  offerContextMenu(window);
  const follow = () => window.setBackgroundColor(pageBackground());
  nativeTheme.on('updated', follow);
  window.once('closed', () => nativeTheme.off('updated', follow));
}

function guardNavigation({ webContents }: BrowserWindow, origin: () => string | null): void {
  webContents.setWindowOpenHandler(({ url }) => {
    if (isWebLink(url)) void shell.openExternal(url);
    return { action: 'deny' };
  });
  webContents.on('will-navigate', (event) => {
    const where = destination(event.url, origin());
    if (where !== 'window') event.preventDefault();
    if (where === 'browser') void shell.openExternal(event.url);
  });
  webContents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault();
  });
  webContents.on('will-redirect', (event) => {
    if (destination(event.url, origin()) !== 'window') event.preventDefault();
  });
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  // A page must not be able to hold the window open.
  webContents.on('will-prevent-unload', (event) => event.preventDefault());
}

function offerContextMenu(window: BrowserWindow): void {
  const { webContents } = window;
  webContents.on('context-menu', (_event, clicked) => {
    const template = contextMenu(clicked, (action) => {
      if (action.type === 'copy-link') void clipboard.writeText(action.url);
      else webContents.replaceMisspelling(action.word);
    });
    if (template.length > 0) Menu.buildFromTemplate(template).popup({ window });
  });
}
