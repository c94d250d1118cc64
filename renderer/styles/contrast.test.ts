/** Contrast of tokens.css by WCAG 2.2, in both themes and with each accent: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
import { describe, expect, test } from 'vitest';
import { ACCENTS } from '../../protocol/preferences.js';
import css from './tokens.css?raw';

type Rgb = readonly [number, number, number];

function declarations(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  if (start < 0) return new Map();
  const block = css.slice(start, css.indexOf('\n}', start));
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [
      name ?? '',
      value ?? '',
    ]),
  );
}

const base = declarations(':root');

/** 0 to 255 each, and the alpha from 0 to 1. */
function parse(colour: string): { rgb: Rgb; alpha: number } {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(colour);
  if (hex) {
    const [red = 0, green = 0, blue = 0] = hex.slice(1).map((part) => Number.parseInt(part, 16));
    return { rgb: [red, green, blue], alpha: 1 };
  }
  const see = /^rgb\((\d+) (\d+) (\d+) \/ ([\d.]+)%\)$/.exec(colour);
  if (!see) throw new Error(`${colour} is no colour that this test can read.`);
  const [red = 0, green = 0, blue = 0, percent = 0] = see.slice(1).map(Number);
  return { rgb: [red, green, blue], alpha: percent / 100 };
}

function over({ rgb, alpha }: { rgb: Rgb; alpha: number }, below: Rgb): Rgb {
  const mix = (i: 0 | 1 | 2) => rgb[i] * alpha + below[i] * (1 - alpha);
  return [mix(0), mix(1), mix(2)];
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(first: Rgb, second: Rgb): number {
  const [high = 0, low = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const SURFACES = ['page', 'raised', 'sunken', 'bubble'];
const STATES = ['good', 'bad', 'warn'];
const CODE = ['keyword', 'string', 'number', 'title', 'type', 'comment'].map(
  (part) => `code-${part}`,
);

/** Text and what it stands on. */
const TEXT: readonly [string, string][] = [
  ...['ink', 'ink-soft', 'ink-faint', 'accent', ...STATES].flatMap((text) =>
    SURFACES.map((surface): [string, string] => [text, surface]),
  ),
  ...CODE.map((text): [string, string] => [text, 'sunken']),
  ...['ink', 'ink-soft', 'accent'].map((text): [string, string] => [text, 'accent-wash']),
  ...['ink', 'bad'].map((text): [string, string] => [text, 'bad-wash']),
  ...['accent-fill', 'accent-fill-hover', 'bad-fill', 'bad-fill-hover'].map(
    (fill): [string, string] => ['on-accent', fill],
  ),
  ['on-tip', 'tip'],
  ['ink', 'selection'],
  ['ink', 'found'],
  ['on-found-current', 'found-current'],
  ['ink-soft', 'code-inline'],
];

/** Marks and controls, and what they stand on. */
const MARKS: readonly [string, string][] = SURFACES.flatMap((surface) =>
  ['accent-fill', 'ink-faint', ...STATES].map((mark): [string, string] => [mark, surface]),
);

describe.each(ACCENTS)('with the accent %s', (accent) => {
  const tokens = new Map([...base, ...declarations(`[data-accent="${accent}"]`)]);

  describe.each(['light', 'dark'] as const)('in the theme %s', (theme) => {
    const value = (name: string) => {
      const text = tokens.get(name) ?? '';
      const pair = /^light-dark\((#\w+|rgb\([^)]+\)), (#\w+|rgb\([^)]+\))\)$/.exec(text);
      return parse((theme === 'light' ? pair?.[1] : pair?.[2]) ?? text);
    };
    const solid = (name: string) => value(name).rgb;

    test('text can be read: 4.5 to 1', () => {
      for (const [text, surface] of TEXT) {
        expect(contrast(solid(text), solid(surface)), `${text} on ${surface}`).toBeGreaterThan(4.5);
      }
    });

    test('text can be read where the pointer is: 4.5 to 1', () => {
      for (const text of ['ink', 'ink-soft']) {
        for (const surface of SURFACES) {
          for (const wash of ['hover', 'pressed']) {
            const below = over(value(wash), solid(surface));
            expect(contrast(solid(text), below), `${text} on ${surface}`).toBeGreaterThan(4.5);
          }
        }
      }
    });

    test('marks can be seen: 3 to 1', () => {
      for (const [mark, surface] of MARKS) {
        expect(contrast(solid(mark), solid(surface)), `${mark} on ${surface}`).toBeGreaterThan(3);
      }
    });
  });
});
