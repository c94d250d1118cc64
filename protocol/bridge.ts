/**
 * What the desktop adds to the window: `window.pilotlight`, put there by the preload script and absent in a browser.
 * Channel names, preload functions and handlers all derive from these maps.
 */

/** Whether a newer version is there, and how far it has come. Nothing is fetched before the person says so. */
export type UpdateState =
  /** This build looks for none; `reason` says why. `no_address`: it was built without one. */
  | { kind: 'unsupported'; reason: 'from_source' | 'no_address' }
  /** The person has switched it off; `check` asks all the same. */
  | { kind: 'off' }
  /** Nothing newer at the last look; null: not looked yet. Unix milliseconds. */
  | { kind: 'current'; checked_at: number | null }
  | { kind: 'checking' }
  | (NewVersion & {
      kind: 'available';
      /** This package can put it in place by itself; false: only `page` leads to it. */
      installable: boolean;
    })
  /** `fraction`: 0..1. */
  | (NewVersion & { kind: 'downloading'; fraction: number })
  /** Downloaded and verified; put in place when the person says so. */
  | (NewVersion & { kind: 'ready' })
  | { kind: 'failed'; reason: UpdateProblem; checked_at: number };

/**
 * `unreachable`: nobody answers there. `unreadable`: what answers is no list of versions. `damaged`: what was downloaded
 * is not what it should be, and was thrown away. `not_installed`: the system did not put it in place.
 */
export type UpdateProblem = 'unreachable' | 'unreadable' | 'damaged' | 'not_installed';

export interface NewVersion {
  version: string;
  /** Plain text; '': there are none. */
  notes: string;
  /** Where a person finds it; null: nobody has said. */
  page: string | null;
}

/** The shortcut of the quick question that works while another program is in front. */
export interface QuickAskState {
  /** As Electron's accelerators; null: none is set. */
  shortcut: string | null;
  /** `taken`: the system or another program has it. `invalid`: no key combination. null: it works, or none is set. */
  problem: 'taken' | 'invalid' | null;
}

/** Where a link from outside leads. */
export interface Destination {
  /** Of the page's address, such as "#/chat/abc". */
  hash: string;
  /** What the composer is filled with, never sent; null: it stays as it is. */
  text: string | null;
}

/** Renderer → main, answered. Key: channel. */
export interface BridgeCalls {
  /** The key the window sends as `authorization: Bearer …`. */
  'bridge:window-key': { args: []; result: string };
  /** Opens the models folder in the system's file manager. */
  'bridge:open-models-folder': { args: []; result: undefined };
  /** Lets the person choose a folder, beginning at `from`; null: they chose none. */
  'bridge:choose-folder': { args: [from: string | null]; result: string | null };
  'bridge:open-data-folder': { args: []; result: undefined };
  /** Shows the server's log in the system's file manager. */
  'bridge:show-log': { args: []; result: undefined };
  /** Opens an http(s) link in the system's browser; anything else is refused. */
  'bridge:open-external': { args: [url: string]; result: undefined };
  /** Whether the system starts the app at login; null: this system has no such switch. */
  'bridge:login-item': { args: []; result: boolean | null };
  /** Rejects with a sentence where the system refuses; gives what the system has now. */
  'bridge:set-login-item': { args: [open: boolean]; result: boolean | null };
  'bridge:quick-ask': { args: []; result: QuickAskState };
  /** Opens the small window of the quick question. */
  'bridge:open-quick-ask': { args: []; result: undefined };
  /** Of the small window: its content is this high, in CSS pixels. */
  'bridge:quick-ask-height': { args: [pixels: number]; result: undefined };
  'bridge:hide-quick-ask': { args: []; result: undefined };
  /** Shows a chat in the main window. */
  'bridge:open-chat': { args: [id: string]; result: undefined };
  /** Shows the models in the main window. */
  'bridge:open-models': { args: []; result: undefined };
  'bridge:update': { args: []; result: UpdateState };
  'bridge:check-for-update': { args: []; result: undefined };
  'bridge:download-update': { args: []; result: undefined };
  /** Ends the app, puts the downloaded version in place and starts it. */
  'bridge:install-update': { args: []; result: undefined };
  /** From now on the page hears `bridge:go`; what came before it was there comes now. */
  'bridge:listening': { args: []; result: undefined };
}

export type BridgeChannel = keyof BridgeCalls;

/** Main → renderer. */
export interface BridgeEvents {
  'bridge:update-changed': UpdateState;
  'bridge:quick-ask-changed': QuickAskState;
  /** Somebody followed a pilotlight:// link. */
  'bridge:go': Destination;
  /** The small window was opened anew. */
  'bridge:quick-ask-shown': { text: string | null };
}

export type BridgeEvent = keyof BridgeEvents;

/** Ends listening. */
export type Unsubscribe = () => void;

export interface DesktopBridge {
  windowKey(): Promise<string>;
  openModelsFolder(): Promise<void>;
  chooseFolder(from: string | null): Promise<string | null>;
  openDataFolder(): Promise<void>;
  showLog(): Promise<void>;
  openExternal(url: string): Promise<void>;
  loginItem(): Promise<boolean | null>;
  setLoginItem(open: boolean): Promise<boolean | null>;
  quickAsk(): Promise<QuickAskState>;
  openQuickAsk(): Promise<void>;
  quickAskHeight(pixels: number): Promise<void>;
  hideQuickAsk(): Promise<void>;
  openChat(id: string): Promise<void>;
  openModels(): Promise<void>;
  update(): Promise<UpdateState>;
  checkForUpdate(): Promise<void>;
  downloadUpdate(): Promise<void>;
  installUpdate(): Promise<void>;
  listening(): Promise<void>;
  onUpdateChanged(listener: (state: UpdateState) => void): Unsubscribe;
  onQuickAskChanged(listener: (state: QuickAskState) => void): Unsubscribe;
  onGo(listener: (destination: Destination) => void): Unsubscribe;
  onQuickAskShown(listener: (opened: { text: string | null }) => void): Unsubscribe;
}
