/** Entry of the desktop app's main process: decides whether it is the one to run, and with which folders. */
import os from 'node:os';
import path from 'node:path';
import { app, dialog } from 'electron';
import { ArgumentError, type Arguments, parseArguments } from './arguments.js';
import { Desktop } from './desktop.js';
import { isOnlyInstance } from './lifecycle.js';
import { appFiles, dataFolder } from './paths.js';

// A terminal that was closed is no reason to end: what is printed then goes nowhere.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

app.setName('Pilotlight');
const folder = dataFolder(process.platform, process.env, os.homedir());
if (folder !== null && !app.commandLine.hasSwitch('user-data-dir')) {
  app.setPath('userData', folder);
}
// Chromium's own files stay together, apart from models, chats and settings.
app.setPath('sessionData', path.join(app.getPath('userData'), 'window'));

const args = readArguments();
if (args && isOnlyInstance()) {
  const files = appFiles(import.meta.dirname, app.isPackaged ? process.resourcesPath : null);
  void app.whenReady().then(() => new Desktop(args, files).start());
}

function readArguments(): Arguments | null {
  try {
    return parseArguments(process.argv.slice(1));
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    dialog.showErrorBox('Pilotlight cannot start', error.message);
    app.exit(2);
    return null;
  }
}
