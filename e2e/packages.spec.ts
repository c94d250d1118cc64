import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import { ChatPage } from './chat-page.js';
import { removeFolder, temporaryFolder } from './folders.js';
import { isRunning, processTree } from './processes.js';

/** The folder that the packages lie in: the stage "package" of the tests makes them. */
const FOLDER = process.env.PILOTLIGHT_PACKAGES ?? '';
const INSTALLED = '/opt/Pilotlight/pilotlight';
/** Nobody's own account: the app must not need more than that. */
const USER = 'nobody';

const find = (ending: string) => {
  const name = fs.readdirSync(FOLDER).find((file) => file.endsWith(ending));
  if (name === undefined) throw new Error(`${FOLDER} holds no ${ending}.`);
  return path.join(FOLDER, name);
};
const sh = (command: string, ...args: string[]) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

/** Why the package is not installed here; null: it is. */
function refusal(): string | null {
  if (process.platform !== 'linux') return 'Debian packages are for Linux.';
  if (process.getuid?.() !== 0) return 'Only root installs packages.';
  if (!fs.existsSync('/usr/bin/dpkg')) return 'This system has no dpkg.';
  if (!process.env.CI) return "Only CI's machines, not somebody's own, are installed on.";
  if (fs.existsSync('/opt/Pilotlight')) return 'Pilotlight is installed on this machine.';
  return null;
}

test('the archive holds the app and starts where it was unpacked', async () => {
  test.skip(process.platform !== 'linux', 'Archives are made on Linux.');
  const folder = await temporaryFolder('pilotlight-archive');
  try {
    sh('tar', '-xzf', find('.tar.gz'), '-C', folder);
    const [top, ...others] = fs.readdirSync(folder);
    expect(others).toEqual([]);
    expect(top).toMatch(/^pilotlight-\d+\.\d+\.\d+-linux-\w+$/);
    await startsAndServes(path.join(folder, top ?? '', 'pilotlight'), null);
  } finally {
    await removeFolder(folder);
  }
});

test('the list for updates names both packages with their sums', () => {
  test.skip(process.arch !== 'x64', 'The list has another name there.');
  const list = JSON.parse(fs.readFileSync(path.join(FOLDER, 'latest-linux.yml'), 'utf8'));
  expect(list.files.map(({ url }: { url: string }) => path.extname(url)).sort()).toEqual([
    '.deb',
    '.gz',
  ]);
});

test('the Debian package says what it is and where its links go', () => {
  test.skip(!fs.existsSync('/usr/bin/dpkg-deb'), 'This system has no dpkg-deb.');
  const deb = find('.deb');
  const control = sh('dpkg-deb', '--field', deb);
  expect(control).toMatch(/^Package: pilotlight$/m);
  expect(control).toMatch(/^Depends: libgtk-3-0 \| libgtk-3-0t64, /m);
  const size = Number(/^Installed-Size: (\d+)$/m.exec(control)?.[1]);
  // KiB: Electron is most of it.
  expect(size).toBeGreaterThan(100_000);
  expect(size).toBeLessThan(450_000);
  const listed = sh('dpkg-deb', '--contents', deb).split('\n');
  const entry = (name: string) => listed.find((line) => line.includes(` ./${name}`));
  for (const name of [
    'opt/Pilotlight/resources/app.asar',
    'opt/Pilotlight/resources/models/guide.gguf',
    'usr/share/applications/pilotlight.desktop',
    'usr/share/icons/hicolor/256x256/apps/pilotlight.png',
    'usr/share/icons/hicolor/scalable/apps/pilotlight.svg',
    'usr/share/doc/pilotlight/copyright',
  ]) {
    expect(entry(name), name).toMatch(/^-rw-r--r-- root\/root /);
  }
  expect(entry('usr/bin/pilotlight')).toMatch(/^lrwx.* -> \/opt\/Pilotlight\/pilotlight$/);
});

test('the Debian package is installed, runs as anybody in its sandbox, and goes without a trace', async () => {
  const reason = refusal();
  test.skip(reason !== null, reason ?? '');
  test.setTimeout(300_000);
  try {
    sh('dpkg', '--install', find('.deb'));
    expect(sh('dpkg', '--status', 'pilotlight')).toContain('Status: install ok installed');
    expect(fs.statSync('/opt/Pilotlight/chrome-sandbox').mode & 0o7777).toBe(0o4755);
    expect(sh('dpkg', '--verify', 'pilotlight')).toBe('');
    const entry = fs.readFileSync('/usr/share/applications/pilotlight.desktop', 'utf8');
    expect(entry).toMatch(/^Exec=\/opt\/Pilotlight\/pilotlight %U$/m);
    expect(entry).toMatch(/^MimeType=x-scheme-handler\/pilotlight;$/m);
    await startsAndServes('/usr/bin/pilotlight', USER);
  } finally {
    sh('dpkg', '--purge', 'pilotlight');
  }
  expect(fs.existsSync(INSTALLED)).toBe(false);
  expect(fs.existsSync('/usr/bin/pilotlight')).toBe(false);
  expect(fs.existsSync('/usr/share/applications/pilotlight.desktop')).toBe(false);
});

/** Starts the program, looks at its window, asks its server, and ends it. `user`: null for our own, without sandbox. */
async function startsAndServes(program: string, user: string | null): Promise<void> {
  const home = await temporaryFolder('pilotlight-home');
  const { XAUTHORITY } = process.env;
  // The screen lets in whoever has its key.
  if (XAUTHORITY) fs.copyFileSync(XAUTHORITY, path.join(home, 'Xauthority'));
  if (user !== null) sh('chown', '-R', user, home);
  const args = [`--user-data-dir=${home}`, '--port=0', '--remote-debugging-port=0'];
  const env = {
    ...process.env,
    ...{ HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, XDG_RUNTIME_DIR: home },
    ...(XAUTHORITY ? { XAUTHORITY: path.join(home, 'Xauthority') } : {}),
  };
  const isRoot = process.getuid?.() === 0;
  const child =
    user === null
      ? spawn(program, isRoot ? ['--no-sandbox', ...args] : args, { env })
      : spawn('runuser', ['-u', user, '--', program, ...args], { env });
  const printed = collect(child);
  let processes: number[] = [];
  try {
    const said = (pattern: RegExp) => () => pattern.exec(printed())?.[1] ?? null;
    // What it printed tells why, where it does not.
    await expect.poll(printed, { timeout: 60_000 }).toMatch(/ready at http:/);
    const url = said(/ready at (http:\S+)/)() ?? '';
    const health = await (await fetch(`${url}/health`)).json();
    expect(health).toMatchObject({ status: 'ok', name: 'pilotlight' });
    await expect.poll(said(/DevTools listening on (ws:\S+)/)).not.toBeNull();
    const devTools = said(/DevTools listening on (ws:\S+)/)() ?? '';
    // Whoever attaches while the empty page gives way to the server's, in a process of its own, may miss the new one.
    await expect
      .poll(() => pageAddresses(devTools))
      .toContainEqual(expect.stringContaining(`${url}/`));
    const browser = await chromium.connectOverCDP(devTools);
    try {
      const pages = browser.contexts().flatMap((context) => context.pages());
      const page = pages.find((candidate) => candidate.url().startsWith(`${url}/`));
      if (!page) throw new Error('The window shows no page.');
      await new ChatPage(page).ready();
      await expect(page.getByTestId('welcome-folder')).toBeVisible();
    } finally {
      await browser.close();
    }
    processes = processTree(child.pid ?? 0);
    if (user !== null) expect(sandboxed(processes).length).toBeGreaterThan(0);
  } finally {
    for (const pid of processTree(child.pid ?? 0).reverse()) {
      // The main process ends all others; runuser, which is above it, waits for that.
      if (isMain(pid)) process.kill(pid, 'SIGTERM');
    }
    await expect.poll(() => processes.filter(isRunning), { timeout: 30_000 }).toEqual([]);
    await removeFolder(home);
  }
}

/** Of the windows of the program whose DevTools listen at the WebSocket address. */
async function pageAddresses(devTools: string): Promise<string[]> {
  const answer = await fetch(`http://${new URL(devTools).host}/json/list`);
  const targets = (await answer.json()) as { type: string; url: string }[];
  return targets.filter(({ type }) => type === 'page').map((target) => target.url);
}

/** Those whose system calls the kernel filters. */
function sandboxed(pids: readonly number[]): number[] {
  return pids.filter((pid) => /^Seccomp:\s*2$/m.test(read(`/proc/${pid}/status`)));
}

function isMain(pid: number): boolean {
  const [program = '', ...args] = read(`/proc/${pid}/cmdline`).split('\0');
  return path.basename(program) === 'pilotlight' && !args.some((arg) => arg.startsWith('--type='));
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += String(chunk);
    });
  }
  return () => text;
}
