import { describe, expect, it } from 'vitest';
import { modelSourceSchema } from '../../protocol/models.js';
import { testEntry } from '../../protocol/test-state.js';
import { isOwnFile, loadAction, modelFacts, modelUse, sourceWords } from './model-words.js';

describe('modelFacts', () => {
  it('tells what is known', () => {
    const known = {
      ...{ quantization: 'Q4_K_M', size_bytes: 4_400_000_000, parameters: 7_616_000_000 },
      trained_context_length: 131_072,
    };
    expect(modelFacts(testEntry('a', known))).toEqual([
      'Q4_K_M',
      '4.4 GB',
      '7.6B parameters',
      'up to 128K context',
    ]);
    expect(modelFacts(testEntry('a', { ...known, context_length: 8192 })).at(-1)).toBe(
      '8K context',
    );
  });

  it('leaves out what is not', () => {
    expect(modelFacts(testEntry('a', { size_bytes: 0, parameters: null }))).toEqual([]);
  });
});

it('tells memory and requests of a model in use', () => {
  const model = testEntry('a', { memory_bytes: 2_000_000, running: 1, waiting: 3 });
  expect(modelUse(model)).toEqual(['2.0 MB in memory', 'answering 1 request', '3 requests wait']);
  expect(modelUse(testEntry('a', { reload_pending: true }))).toHaveLength(1);
  expect(modelUse(testEntry('a'))).toEqual([]);
});

it('names every source', () => {
  for (const source of modelSourceSchema.options) {
    const model = testEntry('a', { source, owned_by: 'The big one' });
    expect(sourceWords(model)).toMatch(source === 'upstream' ? /^The big one$/ : /\w/);
  }
});

it('lets nobody delete what is not their own', () => {
  const own = modelSourceSchema.options.filter((source) => isOwnFile(testEntry('a', { source })));
  expect(own).toEqual(['models_dir']);
  expect(isOwnFile(testEntry('a', { built_in: true }))).toBe(false);
});

it.each([
  ['unloaded', 'load'],
  ['failed', 'load'],
  ['crashed', 'load'],
  ['loading', 'unload'],
  ['loaded', 'unload'],
  ['unloading', null],
  ['invalid', null],
] as const)('of a model that is %s one can: %s', (status, action) => {
  expect(loadAction(testEntry('a', { status }))).toBe(action);
  expect(loadAction(testEntry('a', { status, source: 'upstream' }))).toBeNull();
});
