// What `electron FOLDER` runs first in a runtime that was taken out of a packaged application: Electron's downloads
// bring such an app along, that one does not. It finds the app named on the command line and becomes it.
const { app } = require('electron');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

/**
 * @param {string[]} args after the executable
 * @returns {{ preloads: string[], target: string | null, question: 'version' | 'abi' | null }}
 */
function parse(args) {
  const preloads = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '--version' || arg === '-v') return { preloads, target: null, question: 'version' };
    if (arg === '--abi' || arg === '-a') return { preloads, target: null, question: 'abi' };
    if (arg === '-r' || arg === '--require') preloads.push(args[++i]);
    else if (arg.startsWith('--require=')) preloads.push(arg.slice('--require='.length));
    else if (!arg.startsWith('-')) return { preloads, target: arg, question: null };
  }
  return { preloads, target: null, question: null };
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/**
 * Takes on the app's name, version and path, and finds its main file.
 * @param {string} target folder or file
 */
function become(target) {
  const place = path.resolve(target);
  if (!fs.existsSync(place)) throw new Error(`there is nothing at ${place}`);
  if (fs.statSync(place).isFile() && !place.endsWith('.asar')) return place;
  const manifest = JSON.parse(fs.readFileSync(path.join(place, 'package.json'), 'utf8'));
  app.setAppPath(place);
  if (manifest.version) app.setVersion(manifest.version);
  const name = manifest.productName ?? manifest.name;
  if (name) app.setName(name);
  if (manifest.desktopName) app.setDesktopName(manifest.desktopName);
  return path.join(place, manifest.main ?? 'index.js');
}

const { preloads, target, question } = parse(process.argv.slice(1));
if (question === 'version') {
  process.stdout.write(`v${process.versions.electron}\n`);
  process.exit(0);
} else if (question === 'abi') {
  process.stdout.write(`${process.versions.modules}\n`);
  process.exit(0);
} else if (target === null) {
  fail('Usage: electron [options] FOLDER');
} else {
  process.defaultApp = true;
  try {
    const main = become(target);
    for (const preload of preloads) require(path.resolve(preload));
    import(pathToFileURL(main).href).catch((error) =>
      fail(`The app failed to start: ${error?.stack ?? error}`),
    );
  } catch (error) {
    fail(`The app could not be opened: ${error instanceof Error ? error.message : error}`);
  }
}
