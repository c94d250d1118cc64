import { describe, expect, it } from 'vitest';
import { destination, isWebLink } from './navigation.js';

const origin = 'http://127.0.0.1:7411';

describe('destination', () => {
  it.each([
    [`${origin}/`, 'window'],
    [`${origin}/?chat=1#end`, 'window'],
    [`${origin}/v1/models`, 'browser'],
    ['http://127.0.0.1:7412/', 'browser'],
    ['http://localhost:7411/', 'browser'],
    ['https://example.org/a b', 'browser'],
    ['file:///etc/passwd', 'nowhere'],
    ['javascript:alert(1)', 'nowhere'],
    ['data:text/html,hello', 'nowhere'],
    ['smb://server/share', 'nowhere'],
    ['ms-msdt:/id', 'nowhere'],
    ['http://127.0.0.1:7411@evil.example/', 'nowhere'],
    ['not an address', 'nowhere'],
    ['', 'nowhere'],
  ])('%s goes to: %s', (target, expected) => {
    expect(destination(target, origin)).toBe(expected);
  });

  it('opens nothing in the window before the server is there', () => {
    expect(destination(`${origin}/`, null)).toBe('browser');
    expect(destination('about:blank', null)).toBe('nowhere');
  });
});

describe('isWebLink', () => {
  it('knows http and https only', () => {
    expect(isWebLink('https://example.org')).toBe(true);
    expect(isWebLink('HTTP://EXAMPLE.ORG')).toBe(true);
    expect(isWebLink('mailto:ada@example.org')).toBe(false);
    expect(isWebLink('https://user:secret@example.org')).toBe(false);
  });
});
