import { type IpcMainInvokeEvent, ipcMain, type WebContents, type WebFrameMain } from 'electron';
import { z } from 'zod';
import type { BridgeCalls, BridgeChannel } from '../protocol/bridge.js';
import { CHAT_ID } from './deep-link.js';

export type BridgeHandlers = {
  [C in BridgeChannel]: (
    args: BridgeCalls[C]['args'],
    sender: WebContents,
  ) => BridgeCalls[C]['result'] | Promise<BridgeCalls[C]['result']>;
};

const argumentSchemas: { [C in BridgeChannel]: z.ZodType<BridgeCalls[C]['args']> } = {
  'bridge:window-key': z.tuple([]),
  'bridge:open-models-folder': z.tuple([]),
  'bridge:choose-folder': z.tuple([z.string().max(4_096).nullable()]),
  'bridge:open-data-folder': z.tuple([]),
  'bridge:show-log': z.tuple([]),
  'bridge:open-external': z.tuple([z.string().max(8_192)]),
  'bridge:login-item': z.tuple([]),
  'bridge:set-login-item': z.tuple([z.boolean()]),
  'bridge:quick-ask': z.tuple([]),
  'bridge:open-quick-ask': z.tuple([]),
  'bridge:quick-ask-height': z.tuple([z.number().int().min(0).max(100_000)]),
  'bridge:hide-quick-ask': z.tuple([]),
  'bridge:open-chat': z.tuple([z.string().regex(CHAT_ID)]),
  'bridge:open-models': z.tuple([]),
  'bridge:update': z.tuple([]),
  'bridge:check-for-update': z.tuple([]),
  'bridge:download-update': z.tuple([]),
  'bridge:install-update': z.tuple([]),
  'bridge:listening': z.tuple([]),
};

/** Who may call: the main frames of our windows, while they show the server's page. */
export interface TrustedSender {
  mainFrames(): readonly WebFrameMain[];
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
      throw new Error(`${channel}: only Pilotlight's windows may call this.`);
    const parsed = argumentSchemas[channel].safeParse(args);
    if (!parsed.success) throw new TypeError(`${channel}: ${z.prettifyError(parsed.error)}`);
    return handler(parsed.data, event.sender);
  });
}

function isTrusted({ senderFrame }: IpcMainInvokeEvent, sender: TrustedSender): boolean {
  const origin = sender.origin();
  if (origin === null || senderFrame?.origin !== origin) return false;
  return sender.mainFrames().includes(senderFrame);
}
