#!/usr/bin/env node
// The command line. In a clone it first brings the set-up up to date; in a finished tree it starts at once.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const setup = path.join(root, 'scripts', 'setup', 'steps.mjs');
// A clone has the set-up scripts and the sources; a package has the bundles only.
const isClone = existsSync(setup) && existsSync(path.join(root, 'cli', 'pilotlight.ts'));

if (await isReady())
  await import(pathToFileURL(path.join(root, 'out', 'cli', 'pilotlight.js')).href);

async function isReady() {
  if (!isClone) return true;
  const { checkNode } = await import('../scripts/setup/node-version.mjs');
  checkNode();
  const { endWithParent } = await import('../scripts/setup/orphan.mjs');
  endWithParent();
  const { reportFailure, setUp } = await import('../scripts/setup/steps.mjs');
  try {
    await setUp('headless');
    return true;
  } catch (error) {
    reportFailure(error);
    return false;
  }
}
