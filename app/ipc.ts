import { type IpcMainInvokeEvent, ipcMain, type WebFrameMain } from 'electron';
import { z } from 'zod';
import type { BridgeCalls, BridgeChannel } from '../protocol/bridge.js';

export type BridgeHandlers = {
  [C in BridgeChannel]: (
    ...args: BridgeCalls[C]['args']
  ) => BridgeCalls[C]['result'] | Promise<BridgeCalls[C]['result']>;
};

const argumentSchemas: { [C in BridgeChannel]: z.ZodType<BridgeCalls[C]['args']> } = {
  'bridge:window-key': z.tuple([]),
  'bridge:open-models-folder': z.tuple([]),
  'bridge:open-external': z.tuple([z.string().max(8_192)]),
};

/** Who may call: the main frame of our window, while it shows the server's page. */
export interface TrustedSender {
  mainFrame(): WebFrameMain;
  /** null: there is no page yet. */
  origin(): string | null;
}

/** Answers the preload script's calls. A call of anybody else, or with other arguments, is rejected there. */
export function handleBridge(handlers: BridgeHandlers, sender: TrustedSender): void {
  for (const channel of Object.keys(argumentSchemas) as BridgeChannel[]) {
    handle(channel, handlers[channel], sender);
  }
}

function handle<C extends BridgeChannel>(
  channel: C,
  handler: BridgeHandlers[C],
  sender: TrustedSender,
): void {
  ipcMain.handle(channel, (event, ...args: unknown[]) => {
    if (!isTrusted(event, sender))
      throw new Error(`${channel}: only the chat window may call this.`);
    const parsed = argumentSchemas[channel].safeParse(args);
    if (!parsed.success) throw new TypeError(`${channel}: ${z.prettifyError(parsed.error)}`);
    return handler(...parsed.data);
  });
}

function isTrusted({ senderFrame }: IpcMainInvokeEvent, sender: TrustedSender): boolean {
  const origin = sender.origin();
  return origin !== null && senderFrame === sender.mainFrame() && senderFrame.origin === origin;
}
