import { expect, it } from 'vitest';
import { firstRun } from './first-run.js';

const fresh = { preferences: { welcomed: false, welcome_step: null }, chats: 0, models: [] };

it('is due where nothing of a person is there', () => {
  expect(firstRun(fresh)).toBe('due');
  expect(
    firstRun({
      ...fresh,
      models: [{ source: 'built_in' }, { source: 'ollama' }, { source: 'lm_studio' }],
    }),
  ).toBe('due');
});

it('is not for people with chats or models of before', () => {
  expect(firstRun({ ...fresh, chats: 1 })).toBe('settled');
  for (const source of ['models_dir', 'folder', 'file', 'upstream'] as const) {
    expect(firstRun({ ...fresh, models: [{ source }] })).toBe('settled');
  }
});

it('goes on where it was left, also when the first model has come meanwhile', () => {
  const preferences = { welcomed: false, welcome_step: 'done' } as const;
  expect(firstRun({ preferences, chats: 0, models: [{ source: 'models_dir' }] })).toBe('due');
});

it('never comes again', () => {
  const preferences = { welcomed: true, welcome_step: null };
  expect(firstRun({ ...fresh, preferences })).toBe('over');
  expect(firstRun({ ...fresh, preferences: { welcomed: true, welcome_step: 'model' } })).toBe(
    'over',
  );
});
