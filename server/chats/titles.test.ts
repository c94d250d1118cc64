import { describe, expect, it } from 'vitest';
import { firstWords, titleFrom } from './titles.js';

describe('the first words of a question', () => {
  it.each([
    ['Hi.', 'Hi.'],
    ['  two\nlines\t here ', 'two lines here'],
    [
      'Please explain to me how a heat pump works, and what it costs to run one in winter.',
      'Please explain to me how a heat pump works, and what it…',
    ],
    ['如何'.repeat(100), `${'如何'.repeat(30)}…`],
    ['👩‍👩‍👧'.repeat(80), `${'👩‍👩‍👧'.repeat(60)}…`],
    ['\u202Eevil', 'evil'],
    ['', ''],
  ])('%j', (question, title) => {
    expect(firstWords(question)).toBe(title);
  });
});

describe("a model's title", () => {
  it.each([
    ['Heat pumps in winter', 'Heat pumps in winter'],
    ['"Heat pumps"', 'Heat pumps'],
    ['Title: **Heat pumps**', 'Heat pumps'],
    ['„Wärmepumpen im Winter“.', 'Wärmepumpen im Winter'],
    ['标题：热泵', '热泵'],
    ['## Heat pumps\nThey are…', 'Heat pumps'],
  ])('%j', (answer, title) => {
    expect(titleFrom(answer, 'How do heat pumps work?')).toBe(title);
  });

  it.each([
    [''],
    ['a'],
    ['How do heat pumps work?'],
    ['Heat pumps move heat from a cold place to a warm one, which takes some work.'],
    ['the the the the the the'],
    ['!?%$ /&% a'],
    ['\u0000\u0001\u0002'],
  ])('is none: %j', (answer) => {
    expect(titleFrom(answer, 'How do heat pumps work?')).toBeNull();
  });
});
