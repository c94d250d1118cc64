/**
 * Makes a Debian package of an unpacked app with dpkg-deb alone: electron-builder's own way needs a program that it
 * downloads. What the package is called and needs is said in electron-builder.yml.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

/** Debian's names of what Node calls otherwise. @type {Record<string, string>} */
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64', arm: 'armhf' };
const MAINTAINER_SCRIPTS = ['postinst', 'postrm'];

/**
 * @typedef {object} DebOptions
 * @property {string} unpacked folder of the app, as electron-builder leaves it
 * @property {string} output folder for the package
 * @property {string} icons folder of icon.svg and of PNGs named like 48x48.png
 * @property {string} license file
 * @property {string} version
 * @property {string} arch as Node names it
 * @property {any} config what electron-builder.yml says
 * @property {string} description of package.json
 * @property {number} level 1 to 19: how long zstd may take to make it small
 */

/**
 * @param {DebOptions} options
 * @returns {Promise<string>} the package's file
 */
export async function makeDeb(options) {
  const { arch, config, output, version } = options;
  const name = config.linux.executableName;
  const architecture = ARCHITECTURES[arch];
  if (!architecture) throw new Error(`There are no Debian packages for ${arch}.`);
  const root = await fs.mkdtemp(path.join(output, '.deb-'));
  try {
    await fs.chmod(root, 0o755);
    await layOut(root, name, options);
    await writeControl(root, name, architecture, options);
    const file = path.join(output, `${name}_${version}_${architecture}.deb`);
    const { status } = spawnSync(
      'dpkg-deb',
      ['--root-owner-group', '-Zzstd', `-z${options.level}`, '--build', root, file],
      { stdio: 'inherit' },
    );
    if (status !== 0) throw new Error('dpkg-deb did not build the package.');
    return file;
  } finally {
    await fs.rm(root, { recursive: true, force: true });
  }
}

/**
 * The desktop's entry of the app.
 * @param {any} config
 * @param {string} program
 */
export function desktopEntry(config, program) {
  const { linux, productName, protocols } = config;
  const schemes = protocols.flatMap((/** @type {{ schemes: string[] }} */ { schemes }) => schemes);
  const entries = {
    Name: productName,
    Comment: linux.synopsis,
    Exec: `${program} %U`,
    Terminal: 'false',
    Type: 'Application',
    Icon: linux.executableName,
    Categories: `${linux.category};`,
    MimeType: schemes.map((/** @type {string} */ scheme) => `x-scheme-handler/${scheme};`).join(''),
    ...linux.desktop.entry,
  };
  const lines = Object.entries(entries).map(([key, value]) => `${key}=${value}`);
  return ['[Desktop Entry]', ...lines, ''].join('\n');
}

/**
 * @param {string} root
 * @param {string} name
 * @param {DebOptions} options
 */
async function layOut(root, name, { config, icons, license, unpacked }) {
  const app = path.join(root, 'opt', config.productName);
  const share = path.join(root, 'usr', 'share');
  await fs.cp(unpacked, app, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await fs.writeFile(path.join(app, 'resources', 'package-type'), 'deb\n');
  const program = `/opt/${config.productName}/${name}`;
  await fs.mkdir(path.join(root, 'usr', 'bin'), { recursive: true });
  await fs.symlink(program, path.join(root, 'usr', 'bin', name));
  await write(path.join(share, 'applications', `${name}.desktop`), desktopEntry(config, program));
  await write(path.join(share, 'doc', name, 'copyright'), await fs.readFile(license));
  const hicolor = path.join(share, 'icons', 'hicolor');
  for (const file of await fs.readdir(icons)) {
    const size = /^(\d+x\d+)\.png$/.exec(file)?.[1];
    if (!size) continue;
    const picture = await fs.readFile(path.join(icons, file));
    await write(path.join(hicolor, size, 'apps', `${name}.png`), picture);
  }
  const drawing = await fs.readFile(path.join(icons, 'icon.svg'));
  await write(path.join(hicolor, 'scalable', 'apps', `${name}.svg`), drawing);
}

/**
 * @param {string} root
 * @param {string} name
 * @param {string} architecture
 * @param {DebOptions} options
 */
async function writeControl(root, name, architecture, { config, description, version }) {
  const { deb, linux } = config;
  const files = (await fs.readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  let bytes = 0;
  const sums = [];
  for (const file of files) {
    const content = await fs.readFile(file);
    bytes += content.length;
    const sum = createHash('md5').update(content).digest('hex');
    sums.push(`${sum}  ${path.relative(root, file)}`);
  }
  const control = {
    Package: name,
    Version: version,
    Architecture: architecture,
    Maintainer: linux.maintainer,
    'Installed-Size': Math.ceil(bytes / 1024),
    Depends: deb.depends.join(', '),
    Recommends: deb.recommends.join(', '),
    Section: deb.packageCategory,
    Priority: deb.priority,
    Description: `${linux.synopsis}\n ${description}`,
  };
  const folder = path.join(root, 'DEBIAN');
  const lines = Object.entries(control).map(([field, value]) => `${field}: ${value}\n`);
  await write(path.join(folder, 'control'), lines.join(''));
  await write(path.join(folder, 'md5sums'), `${sums.join('\n')}\n`);
  for (const script of MAINTAINER_SCRIPTS) {
    const source = path.join(import.meta.dirname, 'debian', script);
    const text = await fs.readFile(source, 'utf8');
    const file = path.join(folder, script);
    await write(file, text.replaceAll('@APP@', `/opt/${config.productName}`));
    await fs.chmod(file, 0o755);
  }
}

/**
 * @param {string} file
 * @param {string | Buffer} content
 */
async function write(file, content) {
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, content, { mode: 0o644 });
}
