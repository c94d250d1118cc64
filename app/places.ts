import type { WebContents, WebFrameMain } from 'electron';
import type { Destination } from '../protocol/bridge.js';
import { parseDeepLink } from './deep-link.js';
import type { Dialogs } from './dialogs.js';
import { PageMail } from './page-mail.js';
import type { QuickWindow } from './quick-window.js';
import type { ChatWindow } from './window.js';
import { say } from './words.js';

export interface PlacesOptions {
  window: ChatWindow;
  quick: QuickWindow;
  dialogs: Dialogs;
}

/** Leads the person to places in the two windows: by menus, by the pages themselves, and by links from outside. */
export class Places {
  readonly #options: PlacesOptions;
  /** To the page of the main window. */
  readonly mail: PageMail;
  /** Asked for before there was a page to show; null: nothing. */
  #quickAskLater: { text: string | null } | null = null;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.mail = new PageMail(options.window.browserWindow.webContents);
  }

  go(destination: Destination): void {
    this.mail.send('bridge:go', destination);
    this.#options.window.show();
  }

  /** @param text What the field is filled with, never sent; null: it stays as it is. */
  openQuickAsk(text: string | null): void {
    if (!this.#options.quick.show(text)) this.#quickAskLater = { text };
  }

  /** There is a page to show from now on. */
  pageIsThere(): void {
    const later = this.#quickAskLater;
    this.#quickAskLater = null;
    if (later) this.openQuickAsk(later.text);
  }

  /** Somebody followed a link into the app. */
  openLink(link: string): void {
    const parsed = parseDeepLink(link);
    switch (parsed.kind) {
      case 'show':
        this.#options.window.show();
        break;
      case 'go':
        this.go(parsed.destination);
        break;
      case 'quick-ask':
        this.openQuickAsk(parsed.text);
        break;
      case 'unknown':
        this.#options.window.show();
        this.#options.dialogs.warn(
          say('link_unknown'),
          say('link_unknown_why', { link: parsed.link }),
        );
        break;
    }
  }

  /** The page of one of the windows hears what it is told from now on. */
  listening(page: WebContents): void {
    const { quick, window } = this.#options;
    if (page === window.browserWindow.webContents) this.mail.deliver();
    else if (page === quick.browserWindow?.webContents) quick.mail?.deliver();
  }

  /** Whose calls are answered. */
  mainFrames(): WebFrameMain[] {
    const { quick, window } = this.#options;
    return [window.browserWindow, quick.browserWindow]
      .filter((open) => open !== null)
      .map(({ webContents }) => webContents.mainFrame);
  }
}
