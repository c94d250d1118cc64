/**
 * What the desktop adds to the window: `window.pilotlight`, put there by the preload script and absent in a browser.
 * Channel names, preload functions and handlers all derive from these maps.
 */

/** Renderer → main, answered. Key: channel. */
export interface BridgeCalls {
  /** The key the window sends as `authorization: Bearer …`. */
  'bridge:window-key': { args: []; result: string };
  /** Opens the models folder in the system's file manager. */
  'bridge:open-models-folder': { args: []; result: undefined };
  /** Opens an http(s) link in the system's browser; anything else is refused. */
  'bridge:open-external': { args: [url: string]; result: undefined };
}

export type BridgeChannel = keyof BridgeCalls;

export interface DesktopBridge {
  windowKey(): Promise<string>;
  openModelsFolder(): Promise<void>;
  openExternal(url: string): Promise<void>;
}
