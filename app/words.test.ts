import { afterEach, expect, it } from 'vitest';
import { testEntry, testState } from '../protocol/test-state.js';
import { trayMenu } from './menu-model.js';
import { say, speak } from './words.js';

afterEach(() => {
  speak('en', []);
});

it('are in the language that is wanted, or in that of the system', () => {
  expect(say('quit')).toBe('Quit Pilotlight');
  expect(speak('system', ['fr-CA', 'en'])).toBe(true);
  expect(say('quit')).toBe('Quitter Pilotlight');
  expect(speak('fr', [])).toBe(false);
  expect(speak('de', ['fr'])).toBe(true);
  expect(say('answering', { n: 2 })).toBe('beantwortet 2 Anfragen');
});

it('are those of the menu', () => {
  speak('ja', []);
  const menu = trayMenu(
    { server: { kind: 'ready', url: 'http://x' }, state: testState([testEntry('guide')]) },
    true,
  );
  const labels = menu.flatMap((entry) => (entry.kind === 'separator' ? [] : [entry.label]));
  expect(labels).toContain('Pilotlight を開く');
  expect(labels[0]).toBe('guide: 次のリクエストで読み込みます');
});
