import { app } from 'electron';
import { LINK_SCHEME } from './deep-link.js';

/**
 * Tells Windows who opens our links; "--" keeps what comes after it from being read as a switch. Elsewhere the package
 * says so itself, and an app that runs from its sources leaves the system as it is.
 */
export function registerLinks(): void {
  if (process.platform !== 'win32' || !app.isPackaged) return;
  if (app.isDefaultProtocolClient(LINK_SCHEME, process.execPath, ['--'])) return;
  app.setAsDefaultProtocolClient(LINK_SCHEME, process.execPath, ['--']);
}
