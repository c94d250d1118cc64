import { expect, it } from 'vitest';
import { bareModel, parseModelList } from './model-list.js';

const list = (...data: unknown[]) => parseModelList(JSON.stringify({ object: 'list', data }));

it('ids are enough, and what vLLM, llama-server and Pilotlight tell besides is taken', () => {
  expect(list({ id: 'a', object: 'model' })).toEqual([bareModel('a')]);
  expect(list({ id: 'a', created: 5, max_model_len: 4096 })).toMatchObject([
    { created: 5, context_length: 4096 },
  ]);
  expect(list({ id: 'a', meta: { n_ctx_train: 8, n_params: 9, size: 10 } })).toMatchObject([
    { trained_context_length: 8, parameters: 9, size_bytes: 10 },
  ]);
  expect(
    list({ id: 'e', kind: 'embedding', name: 'E', source: 'upstream', quantization: null }),
  ).toMatchObject([
    { id: 'e', name: 'E', kind: 'embedding', capabilities: ['embeddings'], isPassedOn: true },
  ]);
});

it('what makes no sense is left out, and ids are told once', () => {
  expect(
    list(
      null,
      1,
      {},
      { id: 3 },
      { id: '' },
      { id: 'a\u001b[2J' },
      { id: 'a', created: 'x' },
      { id: 'a' },
      {
        id: 'b',
        status: 'invalid',
      },
    ),
  ).toEqual([bareModel('a')]);
});

it.each(['', '<html>', '[]', '{}', '{"data":{}}', 'null'])('%j is no list', (text) => {
  expect(parseModelList(text)).toBeNull();
});
