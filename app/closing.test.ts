import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Closing, type ClosingOptions } from './closing.js';
import type { Settings } from './settings.js';

const somewhere = { x: 0, y: 0, width: 22, height: 22 };
let told: string[];
let hidden: number;
let values: Settings;

function closing(): Closing {
  const options = {
    window: { hide: () => (hidden += 1) },
    tray: { bounds: somewhere, displayBalloon: (title: string) => told.push(title) },
    dialogs: { notify: (title: string) => told.push(title) },
    settings: {
      get values() {
        return values;
      },
      update: (changes: Partial<Settings>) => {
        values = { ...values, ...changes };
      },
    },
    quit: vi.fn(),
  };
  return new Closing(options as unknown as ClosingOptions);
}

beforeEach(() => {
  told = [];
  hidden = 0;
  values = { bounds: null, maximized: false, toldAboutTray: false, closeWithoutTray: 'ask' };
});

describe('Closing', () => {
  it('hides the window in the tray and says so the first time only', async () => {
    await closing().close();
    await closing().close();
    expect(hidden).toBe(2);
    expect(told).toEqual(['Pilotlight keeps running']);
    expect(values.toldAboutTray).toBe(true);
  });

  it('takes two quick clicks as one', async () => {
    const once = closing();
    await Promise.all([once.close(), once.close()]);
    expect(hidden).toBe(1);
  });
});
