// The real keychain of a session of its own, asked by real processes. Where the system has none to start (GNOME's keyring
// and D-Bus are not installed, or it is not Linux), only what happens without one is tried.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EngineProcess, spawnChildProcess } from '../engine/spawn.js';
import { Keychain, KeychainError } from './keychain.js';

const ENTRY = path.resolve(import.meta.dirname, '..', '..', 'out', 'server', 'engine.js');
const onLinux = process.platform === 'linux';
const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;
const hasKeyring = onLinux && ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'].every(isThere);

let folder: string;
const daemons: ChildProcess[] = [];
const asked: EngineProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'keychain-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const daemon of daemons.splice(0).reverse()) {
    daemon.kill();
    await once(daemon, 'exit');
  }
  for (const process of asked.splice(0)) process.kill();
  await rm(folder, { recursive: true, force: true });
});

function open(patience?: number): Keychain {
  const spawnEngine = spawnChildProcess(ENTRY);
  return new Keychain(() => {
    const process = spawnEngine();
    asked.push(process);
    return process;
  }, patience);
}

/** A session with D-Bus, with nobody's secrets. */
async function startSession(): Promise<void> {
  const home = path.join(folder, 'home');
  const runtime = path.join(folder, 'run');
  for (const each of [home, runtime]) await mkdir(each, { mode: 0o700 });
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_DATA_HOME', path.join(home, 'data'));
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);
  vi.stubEnv('DISPLAY', '');
  const bus = spawn('dbus-daemon', ['--session', '--print-address', '--nofork'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  daemons.push(bus);
  const [address] = await once(bus.stdout, 'data');
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', String(address).trim());
}

/** GNOME's keyring, open. */
async function startKeyring(): Promise<void> {
  const options = ['--foreground', '--unlock', '--components=secrets'];
  const keyring = spawn('gnome-keyring-daemon', options, { stdio: ['pipe', 'ignore', 'ignore'] });
  daemons.push(keyring);
  keyring.stdin.end('password');
  // Whoever asks it before it is up starts another one, which is locked.
  while (keyring.exitCode === null && !(await hasOwner('org.freedesktop.secrets'))) {}
}

/** Whether somebody on the bus has the name. */
async function hasOwner(name: string): Promise<boolean> {
  const bus = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/'];
  const call = ['org.freedesktop.DBus.NameHasOwner', `string:${name}`];
  const { stdout } = await promisify(execFile)('dbus-send', [...bus, ...call]);
  return stdout.includes('true');
}

describe.runIf(hasKeyring)('the keychain', () => {
  it('keeps a secret until it is removed, whoever asks', async () => {
    await startSession();
    await startKeyring();
    expect(await open().read('a')).toBeNull();
    await open().write('a', 'line one\nline twö');
    await open().write('b', 'other');
    expect(await open().read('a')).toBe('line one\nline twö');
    await open().write('a', 'new');
    expect(await open().read('a')).toBe('new');
    await open().remove('a');
    await open().remove('a');
    expect([await open().read('a'), await open().read('b')]).toEqual([null, 'other']);
  });

  it('that is locked, where nobody can be asked for its password, fails', async () => {
    await startSession();
    await expect(open().write('a', 'x')).rejects.toThrow(KeychainError);
  });
});

describe.runIf(onLinux)('without a keychain', () => {
  it('says so at once', async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere');
    await expect(open().read('a')).rejects.toThrow(KeychainError);
  });

  it('that answers, gives up', async () => {
    const bus = net.createServer();
    const address = path.join(folder, 'bus');
    await new Promise<void>((resolve) => bus.listen(address, resolve));
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', `unix:path=${address}`);
    await expect(open(1_000).read('a')).rejects.toThrow('did not answer within 1 seconds');
    bus.close();
  });
});

it('says so where the process that asks is lost', async () => {
  const keychain = open();
  const reading = keychain.read('a');
  asked.at(-1)?.kill();
  await expect(reading).rejects.toThrow('ended the process');
});
