import { contextBridge, ipcRenderer } from 'electron';
import type { BridgeCalls, BridgeChannel, DesktopBridge } from '../protocol/bridge.js';

function call<C extends BridgeChannel>(
  channel: C,
  ...args: BridgeCalls[C]['args']
): Promise<BridgeCalls[C]['result']> {
  return ipcRenderer.invoke(channel, ...args);
}

const bridge: DesktopBridge = {
  windowKey: () => call('bridge:window-key'),
  openModelsFolder: () => call('bridge:open-models-folder'),
  openExternal: (url) => call('bridge:open-external', url),
};

contextBridge.exposeInMainWorld('pilotlight', bridge);
