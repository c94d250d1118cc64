import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capabilitiesOf } from '../capabilities.js';
import { Library } from './library.js';
import { namingOf, withoutFormat } from './projectors.js';
import { testGguf, testProjector } from './test-gguf.js';
import { putFile } from './test-stores.js';

it.each([
  ['mmproj-F16.gguf', 'gemma-3-4b-it-Q4_K_M', 'any'],
  ['mmproj-model-Q8_0.gguf', 'gemma-3-4b-it-Q4_K_M', 'any'],
  ['mmproj.gguf', 'x', 'any'],
  ['mmproj-gemma-3-4b-it-f16.gguf', 'gemma-3-4b-it-Q4_K_M', 'this'],
  ['gemma-3-4b-it-mmproj-bf16.gguf', 'Gemma-3-4b-it-Q4_K_M', 'this'],
  ['mmproj-gemma-3-12b-it-f16.gguf', 'gemma-3-4b-it-Q4_K_M', 'other'],
  ['o_r-GGUF_mmproj-model-f16.gguf', 'o_r-GGUF_r-Q4_K_M', 'this'],
  ['o_s-GGUF_mmproj-model-f16.gguf', 'o_r-GGUF_r-Q4_K_M', 'other'],
  ['o_r_mmproj-model-f16.gguf', 'o_r_r-Q4_K_M', 'this'],
])('%s beside %s speaks of %s', (file, base, naming) => {
  expect(namingOf(file, base)).toBe(naming);
});

it.each([
  ['Qwen3-4B-Q4_K_M', 'Qwen3-4B'],
  ['Qwen3-4B.IQ2_XXS', 'Qwen3-4B'],
  ['x-BF16', 'x'],
  ['q4', 'q4'],
  ['Qwen3-4B', 'Qwen3-4B'],
])('%s without its format is %s', (name, rest) => {
  expect(withoutFormat(name)).toBe(rest);
});

describe('beside a model', () => {
  let root: string;
  let library: Library | null = null;
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'projectors-'));
  });
  afterEach(async () => {
    library?.close();
    await rm(root, { recursive: true });
  });

  const template = { 'tokenizer.chat_template': '{{ messages }} {{ tools }} <think>' };
  const model = (width: number) =>
    testGguf({ metadata: { 'llama.embedding_length': width, ...template } });

  /** Model id → name of its projector. */
  async function projectors(files: Record<string, Uint8Array>) {
    for (const [name, bytes] of Object.entries(files)) await putFile(path.join(root, name), bytes);
    library = await Library.open({
      modelsDir: root,
      ...{ builtInModelsDir: null, files: [], log: pino({ enabled: false }) },
    });
    return Object.fromEntries(
      library.models().map(({ id, projector }) => [id, projector && path.basename(projector)]),
    );
  }

  it('the best one of several that say nothing is its own, where there is no other model', async () => {
    const files = {
      'a/a-Q4_K_M.gguf': model(64),
      'a/a-Q8_0.gguf': model(64),
      'a/mmproj-BF16.gguf': testProjector(768),
      'a/mmproj-F16.gguf': testProjector(768),
      'a/mmproj-F32.gguf': testProjector(768),
    };
    const own = 'mmproj-F16.gguf';
    expect(await projectors(files)).toEqual({ 'a-Q4_K_M': own, 'a-Q8_0': own });
    const [first] = library?.models() ?? [];
    expect(first && capabilitiesOf(first, null)).toEqual(['chat', 'tools', 'reasoning', 'vision']);
    expect(first && capabilitiesOf(first, { supportsTools: false } as never)).not.toContain(
      'tools',
    );
  });

  it('one that says nothing is its own among others only where they fit', async () => {
    const files = {
      'fits.gguf': model(64),
      'not.gguf': model(128),
      'mmproj-F16.gguf': testProjector(64),
    };
    expect(await projectors(files)).toEqual({ fits: 'mmproj-F16.gguf', not: null });
  });

  it('one that names it is its own, and no other file of that name counts', async () => {
    const files = {
      'a-1b-Q4_0.gguf': model(64),
      'b-1b-Q4_0.gguf': model(64),
      'mmproj-a-1b-f16.gguf': testProjector(768),
      'mmproj-b-1b-f16.gguf': testProjector().subarray(0, 40),
      'mmproj-b-1b-f32.gguf': testGguf(),
    };
    expect(await projectors(files)).toEqual({
      'a-1b-Q4_0': 'mmproj-a-1b-f16.gguf',
      'b-1b-Q4_0': null,
    });
  });
});
