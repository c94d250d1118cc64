import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayHaveTex, texOrMoney, withDollars } from './tex.js';

describe('withDollars', () => {
  it.each([
    ['so \\(a^2\\) is', 'so $a^2$ is'],
    ['so \\[ a^2 \\] is', 'so $$a^2$$ is'],
    ['\\[\na\n= b\n\\]', '$$\na\n= b\n$$'],
    ['1. x\n   \\[ a \\]', '1. x\n   $$\n   a\n   $$'],
    ['`\\(a\\)` and \\(b\\)', '`\\(a\\)` and $b$'],
    ['```tex\n\\[ a \\]\n```\n\\(b\\)', '```tex\n\\[ a \\]\n```\n$b$'],
    ['```\n\\(still open', '```\n\\(still open'],
    ['\\(not closed', '\\(not closed'],
  ])('%j', (markdown, expected) => {
    expect(withDollars(markdown)).toBe(expected);
  });

  it('leaves alone what has no such marks', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replaceAll('\\', '');
        expect(withDollars(plain)).toBe(plain);
      }),
    );
  });
});

it.each([
  ['$x$', true],
  ['\\(x\\)', true],
  ['\\[x\\]', true],
  ['plain [text](x)', false],
])('mayHaveTex(%j)', (text, expected) => {
  expect(mayHaveTex(text)).toBe(expected);
});

describe('texOrMoney', () => {
  /** A paragraph as remark-math gives it for the source, in which the formula's place is known. */
  function paragraph(source: string, raw: string) {
    const start = source.indexOf(raw);
    const end = start + raw.length;
    const text = (value: string) => ({ type: 'text', value });
    const position = { start: { offset: start }, end: { offset: end } };
    const formula = { type: 'inlineMath', value: raw.replaceAll('$', ''), position };
    const before = start > 0 ? [text(source.slice(0, start))] : [];
    const after = end < source.length ? [text(source.slice(end))] : [];
    const tree = { type: 'paragraph', children: [...before, formula, ...after] };
    texOrMoney()({ type: 'root', ...{ children: [tree] } }, { toString: () => source });
    return tree.children;
  }

  it.each([
    ['between $5 and $10', '$5 and $'],
    ['from $5-$10', '$5-$'],
    ['US$ 5 and US$ 6', '$ 5 and US$'],
  ])('takes no money for a formula: %j', (source, raw) => {
    expect(paragraph(source, raw)).toContainEqual({ type: 'text', value: raw });
  });

  it('keeps formulas, and displays one that stands alone', () => {
    expect(paragraph('so $x + y$.', '$x + y$')[1]).toMatchObject({ type: 'inlineMath' });
    const display = { hProperties: { className: ['language-math', 'math-display'] } };
    expect(paragraph('$$x$$', '$$x$$')).toMatchObject([{ data: display }]);
    expect(paragraph('so $$x$$', '$$x$$')[1]).not.toHaveProperty('data');
  });
});
