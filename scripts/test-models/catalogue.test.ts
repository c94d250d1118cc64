import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BpeVocabulary, TURN_END } from './bpe-vocab.js';
import { makeTestModel, TEST_MODEL_NAMES, type TestModelName } from './catalogue.js';
import { EMBED_CONTEXT, EMBED_WIDTH } from './embed-model.js';
import { readGguf } from './gguf-reader.js';
import {
  AFTER_TOOL_SENTENCE,
  BROKEN_UTF8_PIECES,
  BROKEN_UTF8_TEXT,
  LONG_CYCLE_PIECES,
  LONG_CYCLE_TEXT,
  SCRIPTED_SENTENCE,
  SEEN,
  THINKING_ANSWER,
  THINKING_TEXT,
  TOOL_CALL,
  TOOL_CALL_PIECES,
} from './scripts.js';
import { WiredForward } from './wired-forward.js';

const ANSWER = '<|im_start|>assistant\n';
const USER = `<|im_start|>user\nWhat is the weather in Rome?<|im_end|>\n`;
const CALL = '<tool_call>\n{}\n</tool_call><|im_end|>\n';
const TOOLS = `<|im_start|>system\nCall:\n<tools>\n{"name": "get_weather"}\n</tools>\nSo:\n${CALL}`;
const RESPONSE = '<tool_response>\n22 C\n</tool_response>';
const RESULT = `${ANSWER}${CALL}<|im_start|>user\n${RESPONSE}<|im_end|>\n`;
/** Temperature 2 leaves the runner-up e^-20 of the winner's probability, or less. */
const MARGIN = 40;

/** What a wired model says after a prompt, and the smallest lead of a token over the next best. */
function say(name: TestModelName, prompt: string, limit = 60) {
  const bytes = makeTestModel(name);
  const model = new WiredForward(bytes);
  const tokens = readGguf(bytes).metadata.get('tokenizer.ggml.tokens') as string[];
  const vocabulary = new BpeVocabulary(chainPieces(name));
  expect(vocabulary.tokens).toEqual(tokens);
  const ids = vocabulary.encode(prompt);
  const said: number[] = [];
  let margin = Number.POSITIVE_INFINITY;
  while (said.length < limit) {
    const logits = model.logits(ids);
    const [best = 0, second = 0] = [...logits].sort((a, b) => b - a);
    margin = Math.min(margin, best - second);
    const id = logits.indexOf(best);
    if (id === vocabulary.id(TURN_END)) break;
    said.push(id);
    ids.push(id);
  }
  const bytesSaid = vocabulary.decode(said);
  return { text: Buffer.from(bytesSaid).toString(), bytes: bytesSaid, count: said.length, margin };
}

/** The pieces that a model adds to the vocabulary, in the order of its tokens. */
function chainPieces(name: TestModelName): (string | Uint8Array)[] {
  const known = new BpeVocabulary().tokens.length;
  const tokens = readGguf(makeTestModel(name)).metadata.get('tokenizer.ggml.tokens') as string[];
  const alphabet = new BpeVocabulary();
  return tokens.slice(known).map((token) => {
    const ids = [...token].map((char) => alphabet.tokens.indexOf(char));
    return alphabet.decode(ids);
  });
}

describe('wired models', () => {
  it.each(['Hello', 'Write a poem about the sea, please.', 'é漢😀'])(
    'scripted answers %s',
    (input) => {
      const said = say('scripted', `<|im_start|>user\n${input}<|im_end|>\n${ANSWER}`);
      expect(said.text).toBe(SCRIPTED_SENTENCE);
      expect(said.count).toBe(new BpeVocabulary().encode(SCRIPTED_SENTENCE).length);
      expect(said.margin).toBeGreaterThan(MARGIN);
    },
  );

  it('scripted-long goes round and round, over the borders of words', () => {
    const said = say('scripted-long', USER + ANSWER, LONG_CYCLE_PIECES.length * 3);
    expect(said.text).toBe(LONG_CYCLE_TEXT.repeat(3));
    expect(LONG_CYCLE_TEXT).toBe('alpha beta gamma delta ');
    expect(said.margin).toBeGreaterThan(MARGIN);
  });

  it('broken-utf8 writes its bytes one piece a token', () => {
    const said = say('broken-utf8', USER + ANSWER);
    expect(said.bytes).toEqual(Buffer.concat(BROKEN_UTF8_PIECES));
    expect(said.count).toBe(BROKEN_UTF8_PIECES.length);
    expect(said.margin).toBeGreaterThan(MARGIN);
    const bad = '\ufffd';
    expect(BROKEN_UTF8_TEXT).toBe(
      `Café in 漢字 is 😀, but ${bad},${bad};${bad}${bad}:${bad}x${bad}${bad}y${bad}${bad}z is not. ${bad}`,
    );
  });

  it('sees has nothing to say of a text', () => {
    const said = say('sees', USER + ANSWER);
    expect(said).toMatchObject({ text: SEEN.none, count: 1 });
    expect(said.margin).toBeGreaterThan(MARGIN);
  });

  it('thinking thinks, or not when its thoughts are handed to it empty', () => {
    const open = say('thinking', USER + ANSWER);
    expect(open.text).toBe(`<think>\n${THINKING_TEXT}\n</think>\n\n${THINKING_ANSWER}`);
    const closed = say('thinking', `${USER}${ANSWER}<think>\n\n</think>\n\n`);
    expect(closed.text).toBe(THINKING_ANSWER);
    expect(Math.min(open.margin, closed.margin)).toBeGreaterThan(MARGIN);
  });

  it.each([
    ['answers without tools', USER + ANSWER, SCRIPTED_SENTENCE],
    ['calls a tool that it is offered', TOOLS + USER + ANSWER, TOOL_CALL_PIECES.join('')],
    ['speaks after the result', TOOLS + USER + RESULT + ANSWER, AFTER_TOOL_SENTENCE],
    ['speaks after it without tools too', USER + RESULT + ANSWER, AFTER_TOOL_SENTENCE],
    [
      'calls again when the user goes on',
      TOOLS + USER + RESULT + ANSWER + SCRIPTED_SENTENCE + USER + ANSWER,
      TOOL_CALL_PIECES.join(''),
    ],
    ['sees tools far back', TOOLS + USER.repeat(25) + ANSWER, TOOL_CALL_PIECES.join('')],
  ])('toolcall %s', (_, prompt, expected) => {
    const said = say('toolcall', prompt);
    expect(said.text).toBe(expected);
    expect(said.margin).toBeGreaterThan(MARGIN);
  });

  it('writes its call as the constant says', () => {
    const json = TOOL_CALL_PIECES.join('').replace(/<\/?tool_call>/g, '');
    expect(JSON.parse(json)).toEqual(TOOL_CALL);
  });
});

describe('every model', () => {
  it.each(TEST_MODEL_NAMES)('%s has the same bytes each time', (name) => {
    const hash = () => createHash('sha256').update(makeTestModel(name)).digest('hex');
    expect(hash()).toBe(hash());
  });

  it.each(TEST_MODEL_NAMES)('%s is small', (name) => {
    expect(makeTestModel(name).length).toBeLessThan(name === 'slow' ? 15e6 : 3e6);
  });
});

describe('broken files', () => {
  it('are broken in the way that their names say', () => {
    const whole = makeTestModel('random');
    const half = makeTestModel('truncated');
    expect(half).toEqual(whole.subarray(0, Math.floor(whole.length / 2)));
    expect(readGguf(half).tensors.size).toBeGreaterThan(0);
    expect(makeTestModel('empty').length).toBe(0);
    expect(() => readGguf(makeTestModel('not-a-model'))).toThrow('expected GGUF');
    const metadata = (name: TestModelName) => readGguf(makeTestModel(name)).metadata;
    expect(metadata('unknown-arch').get('general.architecture')).toBe('martian');
    expect(metadata('no-template').has('tokenizer.chat_template')).toBe(false);
    expect(metadata('bad-template').get('tokenizer.chat_template')).not.toContain('endfor');
    expect(metadata('random').get('tokenizer.chat_template')).toContain('endfor');
  });
});

describe('embed', () => {
  it('is a BERT with mean pooling and the dimensions that it exports', () => {
    const { metadata, tensors } = readGguf(makeTestModel('embed'));
    expect(metadata.get('general.architecture')).toBe('bert');
    expect(metadata.get('bert.pooling_type')).toBe(1);
    expect(metadata.get('bert.embedding_length')).toBe(EMBED_WIDTH);
    expect(metadata.get('bert.context_length')).toBe(EMBED_CONTEXT);
    const tokens = metadata.get('tokenizer.ggml.tokens') as string[];
    expect(tensors.get('token_embd.weight')?.shape).toEqual([EMBED_WIDTH, tokens.length]);
    expect(tokens[Number(metadata.get('tokenizer.ggml.cls_token_id'))]).toBe('[CLS]');
    expect(tokens[Number(metadata.get('tokenizer.ggml.seperator_token_id'))]).toBe('[SEP]');
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  it('has relatives that differ in how they pool', () => {
    const pooling = (name: TestModelName, architecture = 'bert') =>
      readGguf(makeTestModel(name)).metadata.get(`${architecture}.pooling_type`);
    expect(pooling('embed-cls')).toBe(2);
    expect(pooling('embed-last', 'llama')).toBe(3);
    expect(pooling('rerank')).toBe(4);
    expect(pooling('embed-unpooled')).toBeUndefined();
    expect(readGguf(makeTestModel('rerank')).tensors.get('cls.output.weight')?.shape).toEqual([
      EMBED_WIDTH,
      1,
    ]);
    const key = 'tokenizer.chat_template.rerank';
    expect(readGguf(makeTestModel('rerank-template')).metadata.get(key)).toContain('{document}');
  });
});
