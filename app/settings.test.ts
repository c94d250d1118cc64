import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SettingsStore } from './settings.js';

const DEFAULTS = {
  bounds: null,
  maximized: false,
  toldAboutTray: false,
  closeWithoutTray: 'ask',
};

let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilotlight settings '));
});

afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true, force: true });
});

describe('SettingsStore', () => {
  it('starts with the defaults and without a file', () => {
    expect(new SettingsStore(folder).values).toEqual(DEFAULTS);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('keeps changes over a restart and leaves one file', () => {
    const bounds = { x: -5, y: 20, width: 900, height: 700 };
    new SettingsStore(folder).update({ bounds });
    new SettingsStore(folder).update({ toldAboutTray: true });
    expect(new SettingsStore(folder).values).toEqual({ ...DEFAULTS, bounds, toldAboutTray: true });
    expect(fs.readdirSync(folder)).toEqual(['desktop.json']);
  });

  it.each(['', '{"bounds":', 'null', '[]', '"text"'])(
    'takes the defaults for the file %j',
    (text) => {
      vi.spyOn(console, 'error').mockReturnValue();
      fs.writeFileSync(path.join(folder, 'desktop.json'), text);
      expect(new SettingsStore(folder).values).toEqual(DEFAULTS);
    },
  );

  it('loses only the value that is broken', () => {
    fs.writeFileSync(
      path.join(folder, 'desktop.json'),
      JSON.stringify({ bounds: { x: 'left' }, toldAboutTray: true, closeWithoutTray: 'perhaps' }),
    );
    expect(new SettingsStore(folder).values).toEqual({ ...DEFAULTS, toldAboutTray: true });
  });

  it('goes on where the folder cannot be written', () => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    const file = path.join(folder, 'file');
    fs.writeFileSync(file, '');
    const store = new SettingsStore(path.join(file, 'inside'));
    store.update({ toldAboutTray: true });
    expect(store.values.toldAboutTray).toBe(true);
    expect(said).toHaveBeenCalled();
  });
});
