import { describe, expect, it } from 'vitest';
import type { ModelEntry, ServerState } from '../../protocol/models.js';
import { testEntry, testState } from '../../protocol/test-state.js';
import { blockedReason, currentModel, hasOwnId, modelState, placeSentence } from './model-state.js';

const model = (change: Partial<ModelEntry> = {}) =>
  testEntry('guide', { name: 'Guide', status: 'loaded', built_in: true, ...change });
const server = (change: Partial<ServerState> = {}) => testState([model()], change);

it.each([
  ['loaded', null, 'good', 'Ready'],
  ['loading', null, 'busy', 'Loading'],
  ['loading', 0.426, 'busy', 'Loading 42 %'],
  ['unloading', null, 'busy', 'Unloading'],
  ['unloaded', null, 'idle', 'Not loaded'],
  ['failed', null, 'bad', 'Could not load'],
  ['crashed', null, 'bad', 'Stopped unexpectedly'],
  ['invalid', null, 'bad', 'Cannot run'],
] as const)('%s %s', (status, progress, tone, text) => {
  expect(modelState(model({ status, progress }))).toEqual({ tone, text });
});

it('says what a model for programs is for, and first what is wrong with it', () => {
  const text = (change: Partial<ModelEntry>) => modelState(model(change)).text;
  expect(text({ kind: 'embedding', status: 'unloaded' })).toBe('Makes embeddings for programs');
  expect(text({ kind: 'rerank', status: 'loaded' })).toBe('Ranks texts for programs');
  expect(text({ kind: 'embedding', status: 'invalid' })).toBe('Cannot run');
  expect(text({ kind: 'embedding', status: 'failed' })).toBe('Could not load');
  const noneAnswers = server({ current_model: null, models: [model({ kind: 'embedding' })] });
  expect(blockedReason(noneAnswers)).toContain('Add a model');
});

describe('blockedReason', () => {
  it('is null as soon as a model can answer, loaded or not', () => {
    expect(blockedReason(server())).toBeNull();
    expect(blockedReason(server({ models: [model({ status: 'unloaded' })] }))).toBeNull();
    expect(blockedReason(server({ models: [model({ status: 'crashed' })] }))).toBeNull();
  });

  it('says what is missing', () => {
    expect(blockedReason(null)).toContain('server');
    expect(blockedReason(server({ current_model: null }))).toContain('Pick a model');
    expect(blockedReason(server({ current_model: null, models: [] }))).toContain('Add a model');
    const invalid = model({ status: 'invalid' });
    expect(blockedReason(server({ models: [invalid] }))).toContain('cannot run');
    expect(blockedReason(server({ current_model: null, models: [invalid] }))).toContain(
      'Add a model',
    );
  });
});

it('knows which models programs call otherwise', () => {
  expect(hasOwnId(model({ id: 'guide', name: 'Guide' }))).toBe(false);
  expect(hasOwnId(model({ id: 'qwen3-4b-q4_k_m', name: 'Qwen3 4B' }))).toBe(true);
});

it('finds the current model, and none that is gone', () => {
  expect(currentModel(server())?.id).toBe('guide');
  expect(currentModel(server({ models: [] }))).toBeNull();
  expect(currentModel(null)).toBeNull();
});

it('promises that nothing leaves this machine only where nothing does', () => {
  const NOTHING_LEAVES = /Nothing leaves/;
  expect(placeSentence(model())).toMatch(NOTHING_LEAVES);
  expect(placeSentence(model({ devices: ['CPU'] }))).toMatch(NOTHING_LEAVES);
  const elsewhere = [
    model({ source: 'upstream', owned_by: 'big box' }),
    model({ devices: ['CPU', 'RPC 10.0.0.2:50052'] }),
  ].map(placeSentence);
  for (const sentence of elsewhere) expect(sentence).not.toMatch(NOTHING_LEAVES);
  expect(elsewhere[0]).toContain('big box');
});
