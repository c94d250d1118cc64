/** Entry of the desktop app's main process: decides whether it is the one to run, and with which folders. */
import fs from 'node:fs';
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
// Wayland gives shortcuts that work everywhere through the desktop's portal only.
if (process.platform === 'linux' && !app.commandLine.hasSwitch('enable-features')) {
  app.commandLine.appendSwitch('enable-features', 'GlobalShortcutsPortal');
}
// Windows shows notifications of programs whose id it knows from the installer (appId in electron-builder.yml).
app.setAppUserModelId('ai.pilotlight.desktop');
const folder = dataFolder(process.platform, process.env, os.homedir());
if (folder !== null && !app.commandLine.hasSwitch('user-data-dir')) {
  app.setPath('userData', folder);
}
// Chromium's own files stay together, apart from models, chats and settings.
app.setPath('sessionData', path.join(app.getPath('userData'), 'window'));

main();

function main(): void {
  let args: Arguments;
  try {
    args = parseArguments(process.argv.slice(1));
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    refuse(error.message);
    return;
  }
  const problem = dataFolderProblem(app.getPath('userData'));
  if (problem !== null) {
    refuse(problem);
    return;
  }
  let open = (link: string) => {
    args.link = link;
  };
  // macOS tells of a link in its own way, also of the one that the app is started for.
  app.on('open-url', (event, link) => {
    event.preventDefault();
    open(link);
  });
  if (!isOnlyInstance(args.link)) return;
  const files = appFiles(import.meta.dirname, app.isPackaged ? process.resourcesPath : null);
  void app.whenReady().then(() => {
    const desktop = new Desktop(args, files);
    open = (link) => desktop.openLink(link);
    return desktop.start();
  });
}

/** Ends the app with 1 once the person has read why it cannot start, in a terminal or in a box. */
function refuse(sentence: string): void {
  console.error(sentence);
  void app.whenReady().then(() => {
    dialog.showErrorBox('Pilotlight cannot start', sentence);
    app.exit(1);
  });
}

/** Why nothing can be kept in the data folder, in a sentence; null when it can. Makes the folder. */
function dataFolderProblem(dataDir: string): string | null {
  try {
    fs.mkdirSync(dataDir, { recursive: true });
    fs.accessSync(dataDir, fs.constants.W_OK);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Pilotlight keeps its settings and models in ${dataDir}, which cannot be written: ${reason}.`;
  }
}
