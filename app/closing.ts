import type { Dialogs } from './dialogs.js';
import type { SettingsStore } from './settings.js';
import type { AppTray } from './tray.js';
import { trayIsVisible } from './tray-host.js';
import type { ChatWindow } from './window.js';
import { say } from './words.js';

export interface ClosingOptions {
  window: ChatWindow;
  tray: AppTray;
  dialogs: Dialogs;
  settings: SettingsStore;
  quit(): void;
}

/** What closing the window does: it goes to the tray, which is told once; where there is no tray the person chooses. */
export class Closing {
  readonly #options: ClosingOptions;
  #busy = false;

  constructor(options: ClosingOptions) {
    this.#options = options;
  }

  async close(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      const { tray, window } = this.#options;
      if (!(await trayIsVisible(tray.bounds))) return await this.#closeWithoutTray();
      window.hide();
      this.#tellAboutTray();
    } finally {
      this.#busy = false;
    }
  }

  async #closeWithoutTray(): Promise<void> {
    const { dialogs, quit, settings, window } = this.#options;
    let choice: 'keep' | 'quit' | 'cancel';
    if (settings.values.closeWithoutTray === 'ask') {
      const { answer, always } = await dialogs.askKeepOrQuit();
      if (always && answer !== 'cancel') settings.update({ closeWithoutTray: answer });
      choice = answer;
    } else {
      choice = settings.values.closeWithoutTray;
    }
    if (choice === 'keep') window.hide();
    if (choice === 'quit') quit();
  }

  #tellAboutTray(): void {
    const { dialogs, settings, tray } = this.#options;
    if (settings.values.toldAboutTray) return;
    settings.update({ toldAboutTray: true });
    const title = say('keeps_running');
    const text = say('keeps_running_how');
    if (process.platform === 'win32') tray.displayBalloon(title, text);
    else dialogs.notify(title, text);
  }
}
