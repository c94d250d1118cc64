import { expect, it } from 'vitest';
import { testEntry } from '../../protocol/test-state.js';
import { listModels, MODEL_SORTS } from './model-list.js';

const models = [
  testEntry('qwen3-4b', {
    ...{ name: 'Qwen3 4B', size_bytes: 2_500, last_used_at: 50, quantization: 'Q4_K_M' },
    aliases: ['gpt-4o'],
  }),
  testEntry('guide', { name: 'Guide', size_bytes: 40, memory_bytes: 70, last_used_at: 10 }),
  testEntry('llama-10', { name: 'Llama 10', size_bytes: 9_000, capabilities: ['chat', 'tools'] }),
  testEntry('llama-9', { name: 'Llama 9', size_bytes: 8_000 }),
];
const ids = (query: string, sort: (typeof MODEL_SORTS)[number] = 'name') =>
  listModels(models, query, sort).map((model) => model.id);

it('finds models of which every word is said somewhere', () => {
  expect(ids('')).toHaveLength(4);
  expect(ids('QWEN q4')).toEqual(['qwen3-4b']);
  expect(ids('gpt-4O')).toEqual(['qwen3-4b']);
  expect(ids('tools llama')).toEqual(['llama-10']);
  expect(ids('qwen tools')).toEqual([]);
});

it('sorts by use, name, size and memory', () => {
  expect(ids('', 'recent')).toEqual(['qwen3-4b', 'guide', 'llama-9', 'llama-10']);
  expect(ids('', 'name')).toEqual(['guide', 'llama-9', 'llama-10', 'qwen3-4b']);
  expect(ids('', 'size')).toEqual(['llama-10', 'llama-9', 'qwen3-4b', 'guide']);
  expect(ids('', 'memory')[0]).toBe('guide');
});

it('leaves the list it was given as it is', () => {
  const before = models.map((model) => model.id);
  for (const sort of MODEL_SORTS) listModels(models, '', sort);
  expect(models.map((model) => model.id)).toEqual(before);
});
