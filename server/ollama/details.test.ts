import { describe, expect, it } from 'vitest';
import type { LibraryModel } from '../library/model.js';
import { testModel } from '../library/test-model.js';
import { detailsOf, digestOf, parameterSize } from './details.js';
import { capabilities } from './show.js';

const MODEL: LibraryModel = {
  ...testModel('m'),
  sizeBytes: 1000,
  created: 1_700_000_000,
  architecture: 'qwen3',
  parameters: 4_022_468_096,
  quantization: 'Q4_K_M',
};

it('details are the words that clients know', () => {
  expect(detailsOf(MODEL)).toEqual({
    parent_model: '',
    format: 'gguf',
    family: 'qwen3',
    families: ['qwen3'],
    parameter_size: '4.0B',
    quantization_level: 'Q4_K_M',
  });
  expect(detailsOf({ ...MODEL, quantization: null }).quantization_level).toBe('unknown');
});

it.each([
  [999, '999'],
  [32_100, '32K'],
  [494_032_768, '494.03M'],
  [8_030_261_312, '8.0B'],
])('%i weights are %s', (parameters, words) => {
  expect(parameterSize(parameters)).toBe(words);
});

it('a digest is the same for the same file only', () => {
  expect(digestOf(MODEL)).toMatch(/^[0-9a-f]{64}$/);
  expect(digestOf({ ...MODEL })).toBe(digestOf(MODEL));
  for (const change of [{ id: 'n' }, { sizeBytes: 1001 }, { created: 1_700_000_001 }]) {
    expect(digestOf({ ...MODEL, ...change })).not.toBe(digestOf(MODEL));
  }
});

describe('capabilities', () => {
  it('are what the template speaks of, until the engine knows better', () => {
    const model = { ...MODEL, template: { tools: true, reasoning: true } };
    expect(capabilities(model, null)).toEqual(['completion', 'tools', 'thinking']);
    expect(capabilities(MODEL, null)).toEqual(['completion']);
    const info = { supportsTools: false, supportsThinking: false } as never;
    expect(capabilities(model, info)).toEqual(['completion']);
  });

  it('of a model that does not write', () => {
    expect(capabilities({ ...MODEL, kind: 'embedding' }, null)).toEqual(['embedding']);
    expect(capabilities({ ...MODEL, kind: 'rerank' }, null)).toEqual([]);
  });
});
