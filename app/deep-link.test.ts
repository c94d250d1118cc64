import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkAmong, parseDeepLink } from './deep-link.js';

const go = (hash: string, text: string | null = null) => ({
  kind: 'go',
  destination: { hash, text },
});

describe('parseDeepLink', () => {
  it.each([
    ['pilotlight://', { kind: 'show' }],
    ['pilotlight://open', { kind: 'show' }],
    ['PILOTLIGHT://Open/', { kind: 'show' }],
    ['pilotlight://chat', go('#/')],
    ['pilotlight:chat', go('#/')],
    ['pilotlight://chat/?q=', go('#/')],
    ['pilotlight://chat?q=How+are%20you%3F%0AAnd%20%C3%BC?', go('#/', 'How are you?\nAnd ü?')],
    ['pilotlight://chat?q=a%00b%1b%e2%80%aec%09d', go('#/', 'abc\td')],
    ['pilotlight://chat/3f6b-Ab_9', go('#/chat/3f6b-Ab_9')],
    ['pilotlight://quick-ask', { kind: 'quick-ask', text: null }],
    ['pilotlight://quick-ask?q=Why', { kind: 'quick-ask', text: 'Why' }],
    ['pilotlight://models', go('#/models/installed')],
    ['pilotlight://models/discover', go('#/models/discover')],
    [
      'pilotlight://models/discover/ggml-org/gemma-3.1_it-GGUF',
      go('#/models/discover/ggml-org/gemma-3.1_it-GGUF'),
    ],
    ['pilotlight://settings', go('#/settings')],
    ['pilotlight://settings/appearance', go('#/settings/appearance')],
    ['pilotlight://developer', go('#/developer')],
  ])('%s', (link, expected) => {
    expect(parseDeepLink(link)).toEqual(expected);
  });

  it.each([
    '',
    'pilotlight',
    'https://example.org/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'pilotlight://elsewhere',
    'pilotlight://open/more',
    'pilotlight://me:secret@chat',
    'pilotlight://chat:80/',
    'pilotlight://chat?q=a&send=1',
    'pilotlight://chat?send=1',
    'pilotlight://chat?q=a#b',
    'pilotlight://chat/abc?q=a',
    'pilotlight://chat/a/b',
    `pilotlight://chat/${'a'.repeat(65)}`,
    `pilotlight://chat?q=${'a'.repeat(32_000)}`,
    'pilotlight://models/settings/guide',
    'pilotlight://models/discover/owner',
    'pilotlight://models/discover/../name',
    'pilotlight://models/discover/owner/name/more',
    'pilotlight://models/discover/owner/na%2fme',
    'pilotlight://models?delete=all',
    'pilotlight://settings/Appearance!',
    'pilotlight://developer/more',
  ])('does not know %s', (link) => {
    expect(parseDeepLink(link)).toMatchObject({ kind: 'unknown' });
  });

  it('throws for no text, and leads to nothing but places of the window', () => {
    const part = fc.oneof(
      fc.constantFrom('chat', 'models', 'discover', 'settings', 'developer', 'open', 'quick-ask'),
      fc.constantFrom('..', '%2e%2e', '#', '?q=', '&', '//', '@', ':', '%', '<script>', '\u202e'),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    const links = fc
      .tuple(
        fc.constantFrom('pilotlight://', 'pilotlight:', 'PilotLight:///', ''),
        fc.array(part, { maxLength: 6 }),
        fc.constantFrom('/', ''),
      )
      .map(([scheme, parts, joint]) => scheme + parts.join(joint));
    fc.assert(
      fc.property(fc.oneof(links, fc.string({ unit: 'binary' })), (link) => {
        const parsed = parseDeepLink(link);
        if (parsed.kind === 'unknown') {
          expect(parsed.link.length).toBeLessThanOrEqual(201);
          expect(parsed.link).not.toMatch(/[\n\r\0\u202e]/);
        }
        if (parsed.kind !== 'go') return;
        const { hash, text } = parsed.destination;
        expect(hash).toMatch(
          /^#\/(chat\/[\w-]{1,64}|models\/(installed|discover|downloads)|models\/discover\/[\w.-]+\/[\w.-]+|settings(\/[a-z0-9-]+)?|developer)?$/,
        );
        expect(hash).not.toContain('..');
        expect(text ?? 'none').not.toMatch(/(?![\n\t])\p{Cc}/u);
      }),
      { numRuns: 2_000 },
    );
  });
});

it.each([
  [[], null],
  [['--hidden', '--port=0'], null],
  [['--hidden', 'pilotlight://chat'], 'pilotlight://chat'],
  [['--', 'Pilotlight://x', 'pilotlight://y'], 'Pilotlight://x'],
])('linkAmong(%j)', (argv, link) => {
  expect(linkAmong(argv)).toBe(link);
});
