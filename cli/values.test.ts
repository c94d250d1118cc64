import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { hostName, origin, text, wholeNumber } from './values.js';

const port = wholeNumber(0, 65535);

it.each([
  ['0', 0],
  ['7411', 7411],
  ['65535', 65535],
  ['007', 7],
])('takes %s', (text, value) => {
  expect(port(text)).toBe(value);
});

it.each(['', '-1', '65536', '1.5', '1e3', 'x', ' 5', '5 ', '0x10', '9'.repeat(400)])(
  'refuses "%s"',
  (text) => {
    expect(() => port(text)).toThrow(InvalidArgumentError);
  },
);

it('takes a text, but not an empty one', () => {
  expect(text('tést')).toBe('tést');
  for (const empty of ['', ' ']) expect(() => text(empty)).toThrow(InvalidArgumentError);
});

it.each(['llm.example', 'LLM', '192.168.1.5', '[fd00::1]', 'my_box.local'])(
  'takes the host %s',
  (name) => {
    expect(hostName(name)).toBe(name);
  },
);

it.each([
  '',
  'http://llm.example',
  'llm.example:80',
  'a b',
  '*',
  '*.example',
  'a/',
  'fd00::1',
  '.a',
])('refuses the host "%s"', (name) => {
  expect(() => hostName(name)).toThrow(InvalidArgumentError);
});

it.each([
  '*',
  'https://app.example',
  'http://localhost:3000',
  'http://[::1]:1',
  'app://obsidian.md',
])('takes the origin %s', (value) => {
  expect(origin(value)).toBe(value);
});

it.each([
  ...['', 'null', 'app.example', 'https://', 'https://app.example/', 'https://app.example/x'],
  ...['https://app.example:443', 'https://App.example', 'https://a@app.example', 'file:///x'],
  ...['https://app.example ', 'https://*.example'],
])('refuses the origin "%s"', (value) => {
  expect(() => origin(value)).toThrow(InvalidArgumentError);
});
