import { describe, expect, it, vi } from 'vitest';
import { type RunProgram, trayIsVisible } from './tray-host.js';

const nowhere = { width: 0, height: 0 };
const failing: RunProgram = async (command) => {
  throw new Error(`${command} not found`);
};

describe('trayIsVisible', () => {
  it('needs no question on macOS, on Windows and where the icon has a place', async () => {
    const run = vi.fn(failing);
    expect(await trayIsVisible(nowhere, 'darwin', run)).toBe(true);
    expect(await trayIsVisible(nowhere, 'win32', run)).toBe(true);
    expect(await trayIsVisible({ width: 22, height: 22 }, 'linux', run)).toBe(true);
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ['busctl', 'b true\n', true],
    ['busctl', 'b false\n', false],
    ['gdbus', '(<true>,)\n', true],
    ['dbus-send', '   variant       boolean true\n', true],
    ['dbus-send', '   variant       boolean false\n', false],
  ])('believes %s when it says %j', async (installed, output, visible) => {
    const run: RunProgram = async (command, args) =>
      command === installed ? output : failing(command, args);
    expect(await trayIsVisible(nowhere, 'linux', run)).toBe(visible);
  });

  it('sees no tray where nobody answers', async () => {
    expect(await trayIsVisible(nowhere, 'linux', failing)).toBe(false);
  });
});
