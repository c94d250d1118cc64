import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestModel } from '../../scripts/test-models/catalogue.js';
import { type GgufHeader, readGguf, readGgufMetadata } from './gguf.js';
import { testGguf } from './test-gguf.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gguf-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(bytes: Uint8Array) {
  const file = path.join(folder, 'x.gguf');
  await writeFile(file, bytes);
  return readGguf(file);
}

const PROBLEMS = [
  ...['empty', 'not_gguf', 'version', 'big_endian'],
  ...['header_cut_off', 'damaged', 'unreadable'],
];

describe('a good file', () => {
  it('tells what it is', async () => {
    const bytes = testGguf({
      metadata: {
        'general.name': 'Tést 模型',
        'general.type': 'model',
        'general.license': 'apache-2.0',
        'llama.context_length': 4096,
      },
    });
    expect(await read(bytes)).toEqual({
      architecture: 'llama',
      poolingType: null,
      embeddingLength: null,
      template: null,
      projectionLength: null,
      hasVision: false,
      mainType: 'F32',
      causal: true,
      name: 'Tést 模型',
      type: 'model',
      tensors: 1,
      parameters: 8,
      fileType: null,
      license: 'apache-2.0',
      trainedContextLength: 4096,
      splitCount: 1,
      expectedBytes: bytes.length,
      neededBytes: bytes.length,
    });
  });

  it.each(['random', 'scripted', 'thinking', 'embed', 'slow'] as const)(
    'has the length that its tensor table says: %s',
    async (name) => {
      const bytes = makeTestModel(name);
      const header = (await read(bytes)) as GgufHeader;
      expect(header.neededBytes).toBeLessThanOrEqual(bytes.length);
      expect(bytes.length - header.neededBytes).toBeLessThan(32);
      expect(header.tensors).toBeGreaterThan(1);
    },
  );

  it('may lie in a table that no block holds, and have texts that are longer than a block', async () => {
    const metadata = {
      'general.description': 'x'.repeat(600_000),
      'tokenizer.ggml.merges': { array: Array.from({ length: 50_000 }, (_, i) => `token ${i}`) },
      'general.name': 'after it all',
    };
    const bytes = testGguf({ metadata });
    expect(await read(bytes)).toMatchObject({
      name: 'after it all',
      expectedBytes: bytes.length,
    });
  });

  it('counts blocks of quantized tensors, and leaves out types it does not know', async () => {
    const tensors = {
      a: { shape: [256, 2], type: 12, offset: 0 },
      b: { shape: [4096, 4096], type: 999, offset: 288 },
    };
    const header = (await read(testGguf({ tensors, dataBytes: 288 }))) as GgufHeader;
    const start = header.expectedBytes - 288;
    expect(start % 32).toBe(0);
    expect(header.neededBytes).toBe(start + 288);
  });
});

describe('a bad file', () => {
  it.each([
    ['no bytes', new Uint8Array(0), 'empty'],
    ['text', Buffer.from('Hello, I am a note.'), 'not_gguf'],
    ['two bytes', Buffer.from('GG'), 'not_gguf'],
    ['only the magic', Buffer.from('GGUF'), 'header_cut_off'],
    ['version 1', testGguf({ version: 1 }), 'version'],
    ['version 99', testGguf({ version: 99 }), 'version'],
    ['the other byte order', testGguf({ version: 0x03000000 }), 'big_endian'],
    ['half a header', testGguf().subarray(0, 60), 'header_cut_off'],
    ['odd alignment', testGguf({ metadata: { 'general.alignment': 3 } }), 'damaged'],
    ['alignment 0', testGguf({ metadata: { 'general.alignment': 0 } }), 'damaged'],
    [
      'five dimensions',
      testGguf({ tensors: { a: { shape: [1, 1, 1, 1, 1], type: 0, offset: 0 } } }),
      'damaged',
    ],
    [
      'a tensor beyond all sizes',
      testGguf({ tensors: { a: { shape: [2 ** 40, 2 ** 40], type: 0, offset: 0 } } }),
      'damaged',
    ],
  ])('%s', async (_, bytes, problem) => {
    expect(await read(bytes)).toMatchObject({ problem });
  });

  it('is known as what it is instead', async () => {
    expect(await read(Buffer.from('version https://git-lfs.github.com/spec/v1\n'))).toMatchObject({
      looksLike: 'lfs_pointer',
    });
    expect(await read(Buffer.from('\n<!DOCTYPE html><html>'))).toMatchObject({
      looksLike: 'web_page',
    });
  });

  it('that is not there or is a folder is unreadable', async () => {
    expect(await readGguf(path.join(folder, 'none'))).toEqual({
      problem: 'unreadable',
      code: 'ENOENT',
    });
    expect(await readGguf(folder)).toMatchObject({ problem: 'unreadable' });
  });
});

describe('whatever the bytes are', () => {
  const answersWell = async (bytes: Uint8Array) => {
    const answer = await read(bytes);
    if ('problem' in answer) expect(PROBLEMS).toContain(answer.problem);
    else expect(answer.expectedBytes).toBeGreaterThan(0);
  };

  it('it answers: noise', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), (noise) =>
        answersWell(Buffer.concat([Buffer.from('GGUF\x03\x00\x00\x00'), noise])),
      ),
      { numRuns: 200 },
    );
  });

  it('it answers: a good header with some bytes changed, or cut anywhere', async () => {
    const good = testGguf({ metadata: { 'general.name': 'x', 'split.count': 2 } });
    const change = fc.record({
      at: fc.nat(good.length - 1),
      to: fc.constantFrom(0, 1, 0x7f, 0xff),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 8 }),
        fc.nat(good.length),
        async (changes, length) => {
          const bytes = Buffer.from(good);
          for (const { at, to } of changes) bytes[at] = to;
          await answersWell(bytes.subarray(0, length));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the metadata of a file', () => {
  it('are all its keys, with lists passed over', async () => {
    const file = path.join(folder, 'metadata.gguf');
    const template = '{{ messages }}'.repeat(10_000);
    await writeFile(
      file,
      testGguf({ metadata: { 'tokenizer.chat_template': template, 'llama.block_count': 2 } }),
    );
    expect([...((await readGgufMetadata(file)) as Map<string, unknown>)]).toEqual([
      ['general.architecture', 'llama'],
      ['tokenizer.ggml.tokens', null],
      ['tokenizer.chat_template', template],
      ['llama.block_count', 2],
    ]);
  });

  it('have numbers and truth values of every type', async () => {
    const file = path.join(folder, 'embed.gguf');
    await writeFile(file, makeTestModel('embed'));
    const metadata = (await readGgufMetadata(file)) as Map<string, unknown>;
    expect(metadata.get('bert.attention.causal')).toBe(false);
    expect(metadata.get('bert.attention.layer_norm_epsilon')).toBeCloseTo(1e-12, 15);
    expect(metadata.get('general.file_type')).toBe(1);
  });

  it('of something else are a problem', async () => {
    const file = path.join(folder, 'text.gguf');
    await writeFile(file, 'not a model');
    expect(await readGgufMetadata(file)).toMatchObject({ problem: 'not_gguf' });
  });
});
