import { contextBridge, ipcRenderer } from 'electron';
import type {
  BridgeCalls,
  BridgeChannel,
  BridgeEvent,
  BridgeEvents,
  DesktopBridge,
  Unsubscribe,
} from '../protocol/bridge.js';

function call<C extends BridgeChannel>(
  channel: C,
  ...args: BridgeCalls[C]['args']
): Promise<BridgeCalls[C]['result']> {
  return ipcRenderer.invoke(channel, ...args);
}

function listen<E extends BridgeEvent>(
  event: E,
  listener: (value: BridgeEvents[E]) => void,
): Unsubscribe {
  const receive = (_event: unknown, value: BridgeEvents[E]) => listener(value);
  ipcRenderer.on(event, receive);
  return () => ipcRenderer.off(event, receive);
}

const bridge: DesktopBridge = {
  windowKey: () => call('bridge:window-key'),
  openModelsFolder: () => call('bridge:open-models-folder'),
  chooseFolder: (from) => call('bridge:choose-folder', from),
  openDataFolder: () => call('bridge:open-data-folder'),
  showLog: () => call('bridge:show-log'),
  openExternal: (url) => call('bridge:open-external', url),
  loginItem: () => call('bridge:login-item'),
  setLoginItem: (open) => call('bridge:set-login-item', open),
  quickAsk: () => call('bridge:quick-ask'),
  openQuickAsk: () => call('bridge:open-quick-ask'),
  quickAskHeight: (pixels) => call('bridge:quick-ask-height', pixels),
  hideQuickAsk: () => call('bridge:hide-quick-ask'),
  openChat: (id) => call('bridge:open-chat', id),
  openModels: () => call('bridge:open-models'),
  update: () => call('bridge:update'),
  checkForUpdate: () => call('bridge:check-for-update'),
  downloadUpdate: () => call('bridge:download-update'),
  installUpdate: () => call('bridge:install-update'),
  listening: () => call('bridge:listening'),
  onUpdateChanged: (listener) => listen('bridge:update-changed', listener),
  onQuickAskChanged: (listener) => listen('bridge:quick-ask-changed', listener),
  onGo: (listener) => listen('bridge:go', listener),
  onQuickAskShown: (listener) => listen('bridge:quick-ask-shown', listener),
};

contextBridge.exposeInMainWorld('pilotlight', bridge);
