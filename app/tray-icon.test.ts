import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelEntry, ServerState } from '../protocol/models.js';
import { testEntry as model, testState } from '../protocol/test-state.js';
import type { DesktopState } from './server-status.js';
import { anyDesktop } from './test-desktop.js';
import { LOADING_STEPS, type TrayTone, trayFile, trayPicture, trayTone } from './tray-icon.js';

const PICTURES = path.join(import.meta.dirname, '..', 'resources', 'icon', 'tray');
const READY = { kind: 'ready', url: 'http://127.0.0.1:7411' } as const;

const serving = (models: ModelEntry[], changes: Partial<ServerState> = {}): DesktopState => ({
  server: READY,
  state: testState(models, changes),
});
const withServer = (server: DesktopState['server']) => trayPicture({ server, state: null });

describe('trayPicture', () => {
  const loaded = model('guide', { status: 'loaded' });
  const loading = model('qwen', { status: 'loading', progress: 0.5 });

  it('shows the server', () => {
    expect(withServer({ kind: 'starting' })).toBe('loading-0');
    expect(withServer({ kind: 'restarting', sentence: '' })).toBe('loading-0');
    expect(withServer(READY)).toBe('loading-0');
    expect(withServer({ kind: 'failed', sentence: '' })).toBe('error');
    expect(withServer({ kind: 'stopping' })).toBe('off');
    expect(withServer({ kind: 'stopped' })).toBe('off');
  });

  it('is idle without a request, and answers while there is one', () => {
    expect(trayPicture(serving([]))).toBe('idle');
    expect(trayPicture(serving([loaded]))).toBe('idle');
    expect(trayPicture(serving([loaded], { running: 1 }))).toBe('answering');
    expect(trayPicture(serving([loaded], { waiting: 1 }))).toBe('answering');
  });

  it('shows how far a load is, of the current model where several load', () => {
    const at = (progress: number | null) =>
      trayPicture(serving([model('qwen', { status: 'loading', progress })], { waiting: 1 }));
    expect([null, 0, 0.124, 0.125, 0.5, 0.99, 1].map(at)).toEqual(
      [0, 0, 0, 1, 4, 7, 7].map((step) => `loading-${step}`),
    );
    const other = model('big', { status: 'loading', progress: 0.25 });
    expect(trayPicture(serving([other, loading], { current_model: 'qwen' }))).toBe('loading-4');
    expect(trayPicture(serving([loaded, other], { running: 3 }))).toBe('loading-2');
  });

  it('is alarmed by the current model only', () => {
    for (const status of ['failed', 'crashed'] as const) {
      const broken = model('big', { status });
      expect(trayPicture(serving([broken, loading], { running: 1 }))).toBe('error');
      expect(trayPicture(serving([loaded, broken]))).toBe('idle');
    }
  });
});

describe('trayTone', () => {
  it('leaves colours to macOS, follows Windows, and keeps to dark panels on Linux but for KDE', () => {
    const tones = (platform: NodeJS.Platform, desktops?: string) =>
      [true, false].map((isDark) => trayTone(platform, isDark, desktops));
    expect(tones('darwin')).toEqual(['template', 'template']);
    expect(tones('win32')).toEqual(['dark', 'light']);
    expect(tones('linux')).toEqual(['dark', 'dark']);
    expect(tones('linux', 'ubuntu:GNOME')).toEqual(['dark', 'dark']);
    expect(tones('linux', 'KDE')).toEqual(['dark', 'light']);
  });
});

describe('trayFile', () => {
  const scales = (tone: TrayTone) =>
    tone === 'template' ? ['', '@2x'] : ['', '@1.25x', '@1.5x', '@2x'];
  const exists = (file: string) => fs.existsSync(path.join(PICTURES, `${file}.png`));

  it.each(['template', 'light', 'dark'] as const)('has every picture in the tone "%s"', (tone) => {
    const loads = Array.from({ length: LOADING_STEPS }, (_, i) => `loading-${i}` as const);
    for (const picture of ['idle', 'answering', 'error', 'off', ...loads] as const) {
      for (const scale of scales(tone)) {
        const file = `${trayFile(picture, tone)}${scale}`;
        expect([file, exists(file)]).toEqual([file, true]);
      }
    }
  });

  it('names a picture that is there, whatever is shown', () => {
    fc.assert(
      fc.property(anyDesktop, (desktop) => {
        expect(exists(trayFile(trayPicture(desktop), 'dark'))).toBe(true);
      }),
    );
  });
});
