import { type BrowserWindow, dialog, type MessageBoxOptions, Notification } from 'electron';
import { say } from './words.js';

/** Messages to the person: questions in the window where it is seen, else as a window of their own. */
export class Dialogs {
  readonly #window: BrowserWindow;
  /** Closes the message that was shown last. */
  #open: AbortController | null = null;

  constructor(window: BrowserWindow) {
    this.#window = window;
  }

  /** Something is wrong that only the person can decide on. */
  async askRetryOrQuit(message: string, detail: string): Promise<'retry' | 'quit'> {
    const { response } = await this.#ask({
      type: 'error',
      title: 'Pilotlight',
      message,
      detail,
      buttons: [say('retry'), say('quit_short')],
      defaultId: 0,
      cancelId: 1,
      noLink: true,
    });
    return response === 0 ? 'retry' : 'quit';
  }

  /** Says why something the person asked for did not work. */
  warn(message: string, detail: string): void {
    this.#tell('warning', message, detail);
  }

  /** The desktop shows no tray, and the window is about to go. `always`: the answer is meant for next time as well. */
  async askKeepOrQuit(): Promise<{ answer: 'keep' | 'quit' | 'cancel'; always: boolean }> {
    const { response, checkboxChecked } = await this.#ask({
      type: 'question',
      title: 'Pilotlight',
      message: say('keep_title'),
      detail: say('keep_text'),
      buttons: [say('keep_running'), say('quit_short'), say('cancel')],
      defaultId: 0,
      cancelId: 2,
      noLink: true,
      checkboxLabel: say('do_not_ask'),
    });
    return { answer: (['keep', 'quit'] as const)[response] ?? 'cancel', always: checkboxChecked };
  }

  /** @param from Where the choice begins. Null: they chose none. */
  async chooseFolder(from: string | null): Promise<string | null> {
    const { filePaths } = await dialog.showOpenDialog(this.#window, {
      ...(from === null ? {} : { defaultPath: from }),
      properties: ['openDirectory', 'createDirectory'],
    });
    return filePaths[0] ?? null;
  }

  /** A message that needs no answer; a dialog where the system has no notifications. */
  notify(title: string, body: string): void {
    if (Notification.isSupported()) new Notification({ title, body, silent: true }).show();
    else this.#tell('info', title, body);
  }

  /** Messages do not pile up: a newer one takes the place of one that is still open. */
  #tell(type: 'info' | 'warning', message: string, detail: string): void {
    this.#open?.abort();
    this.#open = new AbortController();
    const { signal } = this.#open;
    void this.#ask({ type, title: 'Pilotlight', message, detail, buttons: [say('ok')], signal });
  }

  #ask(options: MessageBoxOptions): Promise<Electron.MessageBoxReturnValue> {
    const attached = !this.#window.isDestroyed() && this.#window.isVisible();
    return attached ? dialog.showMessageBox(this.#window, options) : dialog.showMessageBox(options);
  }
}
