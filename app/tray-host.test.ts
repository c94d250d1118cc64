import { describe, expect, it, vi } from 'vitest';
import { type RunProgram, trayIsVisible } from './tray-host.js';

const nowhere = { width: 0, height: 0 };
const missing: RunProgram = async (command) => {
  throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });
};

describe('trayIsVisible', () => {
  it('needs no question on macOS, on Windows and where the icon has a place', async () => {
    const run = vi.fn(missing);
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
      command === installed ? output : missing(command, args);
    expect(await trayIsVisible(nowhere, 'linux', run)).toBe(visible);
  });

  it('believes the first program that is there, also when it fails', async () => {
    const run = vi.fn<RunProgram>(async () => {
      throw Object.assign(new Error('The name is not activatable'), { code: 1 });
    });
    expect(await trayIsVisible(nowhere, 'linux', run)).toBe(false);
    expect(run).toHaveBeenCalledOnce();
  });

  it('sees no tray where nobody answers', async () => {
    expect(await trayIsVisible(nowhere, 'linux', missing)).toBe(false);
  });
});
