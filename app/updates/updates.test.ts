import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UpdateState } from '../../protocol/bridge.js';
import { TestFeed, testUpdater } from './test-feed.js';
import { Updates } from './updates.js';

const NEVER_MS = 2 ** 31 - 1;
const IMAGE = Buffer.from('the new image');
let folder: string;
let feed: TestFeed;
let states: UpdateState[];
let opened: Updates[];

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilotlight updates '));
  feed = await new TestFeed().open();
  states = [];
  opened = [];
  vi.stubEnv('APPIMAGE', path.join(folder, 'old.AppImage'));
  vi.stubEnv('TEST_UPDATER_ARCH', 'x64');
});

afterEach(async () => {
  for (const updates of opened) updates.close();
  await feed.close();
  vi.unstubAllEnvs();
  fs.rmSync(folder, { recursive: true, force: true });
});

function open(options: { installable?: boolean; firstMs?: number } = {}): Updates {
  const installable = options.installable ?? true;
  const updates = new Updates({
    unsupported: null,
    installable,
    makeUpdater: () => testUpdater('appimage', installable, '0.1.0', folder, feed.url),
    page: ({ files }) => `${feed.url}${files[0]?.url}`,
    firstMs: options.firstMs ?? NEVER_MS,
    everyMs: NEVER_MS,
    onChange: (state) => states.push(state),
    onInstall: () => undefined,
    onInstalled: () => undefined,
    onMoved: () => undefined,
  });
  opened.push(updates);
  return updates;
}

const failed = (reason: string) => ({ kind: 'failed', reason });

describe('looking', () => {
  it('finds a newer version, with its notes as text and where it is', async () => {
    feed.offer('0.2.0', { 'Pilotlight-0.2.0.AppImage': IMAGE });
    const updates = open();
    await updates.check();
    expect(updates.state).toEqual({
      kind: 'available',
      installable: true,
      version: '0.2.0',
      notes: '<b>Faster</b> starts',
      page: `${feed.url}Pilotlight-0.2.0.AppImage`,
    });
    // Nothing is fetched before the person says so, and nothing tells who asks.
    expect(feed.requests.map(({ url }) => url?.split('?')[0])).toEqual(['/latest-linux.yml']);
    expect(feed.requests[0]?.headers['x-user-staging-id']).toBe('none');
  });

  it.each(['0.1.0', '0.0.9'])('finds nothing in version %s', async (version) => {
    feed.offer(version, { 'Pilotlight.AppImage': IMAGE });
    const updates = open();
    await updates.check();
    expect(updates.state).toMatchObject({ kind: 'current', checked_at: expect.any(Number) });
  });

  it.each([
    ['an empty list', ''],
    ['a page of something else', '<!doctype html><title>Sign in</title>'],
    ['broken YAML', 'version: [0.2.0\nfiles: - }'],
    ['no version', '{"version":"soon","files":[]}'],
  ])('says of %s that it is none', async (_name, list) => {
    feed.answers.set('/latest-linux.yml', list);
    const updates = open();
    await updates.check();
    expect(updates.state).toMatchObject(failed('unreadable'));
  });

  it('says that nobody answers, or that nothing is there', async () => {
    const updates = open();
    await updates.check();
    expect(updates.state).toMatchObject(failed('unreachable'));
    feed.answers.set('/latest-linux.yml', (response) => response.socket?.destroy());
    await updates.check();
    expect(updates.state).toMatchObject(failed('unreachable'));
  });

  it('keeps what it found when a later look fails', async () => {
    feed.offer('0.2.0', { 'Pilotlight.AppImage': IMAGE });
    const updates = open();
    await updates.check();
    feed.answers.clear();
    await updates.check();
    expect(updates.state).toMatchObject({ kind: 'available', version: '0.2.0' });
  });

  it('asks nothing by itself while it is off, and once when it is switched on', async () => {
    feed.offer('0.2.0', { 'Pilotlight.AppImage': IMAGE });
    const updates = open({ firstMs: 0 });
    updates.setOn(true);
    updates.setOn(false);
    expect(updates.state).toEqual({ kind: 'off' });
    const other = open({ firstMs: 0 });
    other.setOn(true);
    other.setOn(true);
    // Timers run in their order: the first one's would have been due before.
    await vi.waitFor(() => expect(other.state.kind).toBe('available'));
    expect(updates.state).toEqual({ kind: 'off' });
    expect(feed.requests).toHaveLength(1);
  });

  it('looks while it is off when the person asks for it', async () => {
    feed.offer('0.2.0', { 'Pilotlight.AppImage': IMAGE });
    const updates = open();
    await updates.check();
    expect(updates.state.kind).toBe('available');
  });

  it('does nothing in a build that cannot', async () => {
    const makeUpdater = () => {
      throw new Error('not needed');
    };
    const ignore = () => undefined;
    const updates = new Updates({
      ...{ unsupported: 'from_source', installable: false, makeUpdater, page: () => null },
      ...{ firstMs: 0, everyMs: 1, onChange: (state) => states.push(state) },
      ...{ onInstall: ignore, onInstalled: ignore, onMoved: ignore },
    });
    updates.setOn(true);
    await updates.check();
    await updates.download();
    updates.install();
    expect(updates.state).toEqual({ kind: 'unsupported', reason: 'from_source' });
    expect(states).toEqual([]);
  });
});

describe('fetching', () => {
  async function found(): Promise<Updates> {
    const updates = open();
    await updates.check();
    expect(updates.state.kind).toBe('available');
    return updates;
  }

  it('fetches, tells how far it is, verifies and waits', async () => {
    feed.offer('0.2.0', { 'Pilotlight-0.2.0.AppImage': IMAGE });
    const updates = await found();
    await updates.download();
    expect(updates.state).toMatchObject({ kind: 'ready', version: '0.2.0' });
    expect(states.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['checking', 'available', 'downloading', 'ready']),
    );
    const file = path.join(folder, 'updates', 'pending', 'Pilotlight-0.2.0.AppImage');
    expect(fs.readFileSync(file)).toEqual(IMAGE);
  });

  it('throws away what is not what the list says', async () => {
    feed.offer('0.2.0', { 'Pilotlight.AppImage': IMAGE });
    const updates = await found();
    feed.answers.set('/Pilotlight.AppImage', Buffer.from('something else'));
    await updates.download();
    expect(updates.state).toMatchObject(failed('damaged'));
    const pending = path.join(folder, 'updates', 'pending');
    expect(fs.existsSync(path.join(pending, 'Pilotlight.AppImage'))).toBe(false);
  });

  it('fails when the line is cut, and fetches it the next time', async () => {
    feed.offer('0.2.0', { 'Pilotlight.AppImage': IMAGE });
    const updates = await found();
    feed.answers.set('/Pilotlight.AppImage', (response) => {
      response.writeHead(200, { 'content-length': String(IMAGE.length) });
      response.write(IMAGE.subarray(0, 4), () => response.socket?.destroy());
    });
    await updates.download();
    expect(updates.state).toMatchObject({ kind: 'failed' });
    feed.answers.set('/Pilotlight.AppImage', IMAGE);
    await updates.check();
    await updates.download();
    expect(updates.state).toMatchObject({ kind: 'ready' });
  });

  it('fetches nothing that it could not put in place', async () => {
    feed.offer('0.2.0', { 'Pilotlight.AppImage': IMAGE });
    const updates = open({ installable: false });
    await updates.check();
    await updates.download();
    expect(updates.state).toMatchObject({ kind: 'available', installable: false });
    expect(feed.requests).toHaveLength(1);
  });
});
