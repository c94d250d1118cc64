import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { bytes, hostName, origin, rpcHost, text, wholeNumber } from './values.js';

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

it.each([
  ['1', 1],
  ['8000000000', 8e9],
  ['8GB', 8e9],
  ['8g', 8e9],
  ['500 MiB', 500 * 2 ** 20],
  ['1.5GiB', 1.5 * 2 ** 30],
  ['2tb', 2e12],
])('takes %s as bytes', (value, count) => {
  expect(bytes(value)).toBe(count);
});

it.each(['', '0', '0.1', '-1', 'GB', '1XB', '1e9', '99999999999TB', '1 2'])(
  'refuses "%s" as bytes',
  (value) => {
    expect(() => bytes(value)).toThrow(InvalidArgumentError);
  },
);

it('takes the address of an RPC worker', () => {
  for (const value of ['10.0.0.2:50052', 'box.lan:1']) expect(rpcHost(value)).toBe(value);
  for (const value of ['', 'box.lan', ':1', 'http://box:1', 'box:123456', '[fd00::1]:1']) {
    expect(() => rpcHost(value)).toThrow(InvalidArgumentError);
  }
  expect(() => rpcHost('203.0.113.7:50052')).toThrow(/203\.0\.113\.7 is not a private address/);
});
