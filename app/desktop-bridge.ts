import { shell, type WebContents } from 'electron';
import type { BridgeHandlers } from './ipc.js';
import { opensAtLogin, setOpensAtLogin } from './login-item.js';
import { isWebLink } from './navigation.js';
import type { QuickShortcut } from './quick-shortcut.js';
import type { QuickWindow } from './quick-window.js';
import type { Updates } from './updates/updates.js';

export interface BridgeParts {
  windowKey: string;
  quick: QuickWindow;
  shortcut: QuickShortcut;
  updates: Updates;
  modelsDir(): string;
  dataDir: string;
  /** Of the server. */
  logFile: string;
  /** Null: the person chose none. */
  chooseFolder(from: string | null): Promise<string | null>;
  openQuickAsk(): void;
  /** Shows a place in the main window, by the hash of its address. */
  openPage(hash: string): void;
  /** The page of one of our windows hears what main tells from now on. */
  listening(page: WebContents): void;
}

/** What main does for the pages of our windows. Failures reach them as sentences. */
export function bridgeHandlers(parts: BridgeParts): BridgeHandlers {
  const { quick, shortcut, updates } = parts;
  return {
    'bridge:window-key': () => parts.windowKey,
    'bridge:open-models-folder': () => openFolder(parts.modelsDir()),
    'bridge:choose-folder': ([from]) => parts.chooseFolder(from),
    'bridge:open-data-folder': () => openFolder(parts.dataDir),
    'bridge:show-log': () => {
      shell.showItemInFolder(parts.logFile);
      return undefined;
    },
    'bridge:open-external': async ([url]) => {
      if (!isWebLink(url)) throw new Error('Only http and https links can be opened.');
      await shell.openExternal(url);
      return undefined;
    },
    'bridge:login-item': () => opensAtLogin(),
    'bridge:set-login-item': ([open]) => {
      setOpensAtLogin(open);
      return opensAtLogin();
    },
    'bridge:quick-ask': () => shortcut.state,
    'bridge:open-quick-ask': () => void parts.openQuickAsk(),
    'bridge:quick-ask-height': ([pixels], sender) => {
      if (sender === quick.browserWindow?.webContents) quick.setHeight(pixels);
      return undefined;
    },
    'bridge:hide-quick-ask': () => void quick.hide(),
    'bridge:open-chat': ([id]) => void parts.openPage(`#/chat/${id}`),
    'bridge:open-models': () => void parts.openPage('#/models/installed'),
    'bridge:update': () => updates.state,
    // They take as long as the network does, and their ends are told as states.
    'bridge:check-for-update': () => void updates.check(),
    'bridge:download-update': () => void updates.download(),
    'bridge:install-update': () => void updates.install(),
    'bridge:listening': (_args, sender) => void parts.listening(sender),
  };
}

/** @throws Error with a sentence for people */
export async function openFolder(folder: string): Promise<undefined> {
  const problem = await shell.openPath(folder);
  if (problem !== '') throw new Error(`${folder} cannot be opened: ${problem}`);
  return undefined;
}
