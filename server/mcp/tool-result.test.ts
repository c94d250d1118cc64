import { expect, test } from 'vitest';
import { RESULT_MAX, toAnswer } from './tool-result.js';

test('texts follow each other', () => {
  const content = [
    { type: 'text' as const, text: 'one' },
    { type: 'text' as const, text: 'two' },
  ];
  expect(toAnswer({ content })).toEqual({ text: 'one\ntwo', isError: false });
  expect(toAnswer({ content, isError: true }).isError).toBe(true);
});

test('what is no text is named', () => {
  const { text } = toAnswer({
    content: [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
      { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA' } },
    ],
  });
  expect(text.split('\n')).toEqual([
    '[An image that cannot be shown here: image/png, 3 bytes]',
    '[A recording that cannot be shown here: audio/wav, 3 bytes]',
    '[A link to a: file:///a]',
    'inside',
    '[file:///c that cannot be shown here: of an unknown type, 3 bytes]',
  ]);
});

test('values are told where there is no text', () => {
  expect(toAnswer({ content: [], structuredContent: { a: 1 } }).text).toBe('{"a":1}');
});

test('a text that is too long is cut, and says so', () => {
  const long = `${'x'.repeat(RESULT_MAX - 1)}😀${'y'.repeat(100)}`;
  const { text } = toAnswer({ content: [{ type: 'text', text: long }] });
  expect(text.startsWith(`${'x'.repeat(RESULT_MAX - 1)}\n[Cut here`)).toBe(true);
  expect(text).toContain(`${RESULT_MAX + 101} characters`);
});

test('half a character does no harm', () => {
  const { text } = toAnswer({ content: [{ type: 'text', text: 'a\ud800b' }] });
  expect(text).toBe('a\ufffdb');
});
