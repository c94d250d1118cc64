import { describe, expect, it } from 'vitest';
import { parseReference } from './reference.js';

describe('a reference', () => {
  it.each([
    ['ada/tiny', { repo: 'ada/tiny' }],
    ['ada/tiny:Q4_K_M', { repo: 'ada/tiny', quantization: 'Q4_K_M' }],
    ['hf.co/ada/tiny:Q4_K_M', { repo: 'ada/tiny', quantization: 'Q4_K_M' }],
    ['huggingface.co/ada/tiny', { repo: 'ada/tiny' }],
    ['https://huggingface.co/ada/tiny/', { repo: 'ada/tiny' }],
    [' HF.co/ada/Tiny-1.5:latest ', { repo: 'ada/Tiny-1.5' }],
    ['ada/tiny:tiny-q8_0.gguf', { repo: 'ada/tiny', quantization: 'tiny-q8_0' }],
    ['qwen3:4b', null],
    ['qwen3', null],
    ['a/b/c', null],
    ['../b', null],
    ['a/..', null],
    ['ada/tiny:', null],
    ['', null],
    ['https://example.com/ada/tiny', null],
  ])('%j', (text, expected) => {
    expect(parseReference(text)).toEqual(expected);
  });
});
