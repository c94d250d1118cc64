import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hasDisplay } from './display.mjs';

test('without DISPLAY and WAYLAND_DISPLAY there is no display on Linux', async () => {
  expect(await hasDisplay({}, 'linux')).toBe(false);
});

test('a DISPLAY left over from a server that is gone does not count', async () => {
  expect(await hasDisplay({ DISPLAY: ':64999' }, 'linux')).toBe(false);
  expect(await hasDisplay({ DISPLAY: 'unix:64999.0' }, 'linux')).toBe(false);
});

test('a display on another host counts: it cannot be looked up', async () => {
  expect(await hasDisplay({ DISPLAY: 'localhost:10.0' }, 'linux')).toBe(true);
});

test('a Wayland display counts while its socket is there', async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'display-test-'));
  const env = { WAYLAND_DISPLAY: 'wayland-0', XDG_RUNTIME_DIR: folder };
  expect(await hasDisplay(env, 'linux')).toBe(false);
  await fs.writeFile(path.join(folder, 'wayland-0'), '');
  expect(await hasDisplay(env, 'linux')).toBe(true);
  await fs.rm(folder, { recursive: true });
});

test('macOS and Windows have a display, except over SSH', async () => {
  for (const platform of ['darwin', 'win32'] as const) {
    expect(await hasDisplay({}, platform)).toBe(true);
    expect(await hasDisplay({ SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, platform)).toBe(false);
  }
});
