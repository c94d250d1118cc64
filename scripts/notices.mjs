/**
 * Writes THIRD_PARTY_NOTICES.md: the licence texts of everything that is part of a built app. Run it after a change of
 * dependencies: `node scripts/notices.mjs`. `--check` writes nothing and fails when the file is out of date.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFolder, sourcePin } from './setup/engine-source.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE = path.join(ROOT, 'THIRD_PARTY_NOTICES.md');
const LICENCE_NAMES = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

/** Libraries inside the llama.cpp sources that end up in the addon. */
const LLAMA_LICENCES = {
  LICENSE: 'llama.cpp and ggml',
  'licenses/LICENSE-jsonhpp': 'JSON for Modern C++ (in llama.cpp)',
  'vendor/cpp-httplib/LICENSE': 'cpp-httplib (in llama.cpp)',
  'vendor/hash/xxhash/LICENSE': 'xxHash (in llama.cpp)',
  'vendor/hash/rotate-bits/LICENSE.md': 'rotate-bits (in llama.cpp)',
};

/** Those of them that have their licence at the end of their only file, with the words by which it begins. */
const LLAMA_HEADERS = {
  'vendor/stb/stb_image.h': {
    name: 'stb_image (in llama.cpp)',
    begin: 'This software is available under 2 licenses',
  },
  'vendor/miniaudio/miniaudio.h': {
    name: 'miniaudio (in llama.cpp)',
    begin: 'This software is available as a choice of the following licenses',
  },
};

/** Software inside packages that do not bring its licence, with a package that brings the same one. */
const INNER = { 'PDF.js, copyright Mozilla Foundation (in unpdf)': 'swagger-ui-dist' };

/**
 * Packages that are bundled: `dependencies` of package.json and all they need.
 * @returns {{ name: string, version: string, dir: string }[]}
 */
function bundledPackages() {
  const lock = JSON.parse(fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries(lock.packages)
    .filter(
      ([dir, info]) => dir && !dir.includes('@types/') && !info.dev && !info.optional && !info.peer,
    )
    .map(([dir, info]) => ({
      name: dir.slice(dir.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: info.version,
      dir: path.join(ROOT, dir),
    }))
    .sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));
}

/** @param {string} dir */
function licenceText(dir) {
  const file = fs.readdirSync(dir).find((name) => LICENCE_NAMES.test(name));
  return file ? fs.readFileSync(path.join(dir, file), 'utf8').replaceAll('\r\n', '\n').trim() : '';
}

/** @param {string} dir */
function declaredLicence(dir) {
  const { license } = JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8'));
  return typeof license === 'string' ? license : (license?.type ?? 'unknown');
}

/** @param {string} llama folder of the llama.cpp sources */
function render(llama) {
  /** @type {Map<string, string[]>} licence text → what it covers */
  const byText = new Map();
  for (const { name, version, dir } of bundledPackages()) {
    if (!fs.existsSync(dir)) continue; // for another platform
    const text =
      licenceText(dir) || `Licence: ${declaredLicence(dir)} (the package brings no text).`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  for (const [name, alike] of Object.entries(INNER)) {
    const text = licenceText(path.join(ROOT, 'node_modules', alike));
    if (!text.includes('Apache License')) throw new Error(`${alike} has another licence now.`);
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  for (const [file, name] of Object.entries(LLAMA_LICENCES)) {
    const text = fs.readFileSync(path.join(llama, file), 'utf8').replaceAll('\r\n', '\n').trim();
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  for (const [file, { name, begin }] of Object.entries(LLAMA_HEADERS)) {
    const source = fs.readFileSync(path.join(llama, file), 'utf8').replaceAll('\r\n', '\n');
    const at = source.lastIndexOf(begin);
    if (at < 0) throw new Error(`${file} has no "${begin}" any more.`);
    const text = source.slice(at, source.lastIndexOf('*/')).trim();
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  const sections = [...byText].map(
    ([text, names]) => `## ${names.join(', ')}\n\n\`\`\`text\n${text}\n\`\`\`\n`,
  );
  return `# Third-party notices

Pilotlight is made with the software below. The desktop app also contains Electron and Chromium; their notices are in
\`LICENSE.electron.txt\` and \`LICENSES.chromium.html\` beside the program. Made by \`scripts/notices.mjs\`.

${sections.join('\n')}`;
}

const text = render(sourceFolder(await sourcePin()));
if (process.argv.includes('--check')) {
  if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
    console.error('THIRD_PARTY_NOTICES.md is out of date: run "node scripts/notices.mjs".');
    process.exit(1);
  }
} else {
  fs.writeFileSync(FILE, text);
}
