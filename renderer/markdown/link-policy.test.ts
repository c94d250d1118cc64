import fc from 'fast-check';
import { expect, it } from 'vitest';
import { liveLink } from './link-policy.js';

it.each([
  ['https://example.org/a?b#c', 'https://example.org/a?b#c'],
  ['http://127.0.0.1:7411/v1', 'http://127.0.0.1:7411/v1'],
  ['HTTPS://EXAMPLE.ORG', 'https://example.org/'],
  ['mailto:a@example.org', 'mailto:a@example.org'],
])('opens %s', (href, expected) => {
  expect(liveLink(href)).toBe(expected);
});

it.each([
  undefined,
  '',
  '#top',
  '/v1/models',
  'page.html',
  '//example.org',
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'blob:https://example.org/x',
  'file:///etc/passwd',
  'vbscript:x',
  'ms-settings:',
  'mailto:',
  'https://',
  'https://bank.example@evil.example/',
])('leaves %j dead', (href) => {
  expect(liveLink(href)).toBeNull();
});

it('never gives anything but http, https or mailto', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl()), (href) => {
      expect(liveLink(href) ?? 'mailto:').toMatch(/^(https?:\/\/|mailto:)/);
    }),
  );
});
