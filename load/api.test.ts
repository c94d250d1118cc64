import { describe, expect, it } from 'vitest';
import { AddressError, apiOf, routeOf, targetOf } from './api.js';

const place = (url: string) => {
  const { host, port, isTls, path } = targetOf(apiOf(url), 'chat');
  return `${isTls ? 'tls' : 'tcp'} ${host} ${port} ${path}`;
};

describe('a URL', () => {
  it.each([
    ['http://127.0.0.1:7411', 'tcp 127.0.0.1 7411 /v1/chat/completions'],
    ['http://localhost/v1/', 'tcp localhost 80 /v1/chat/completions'],
    ['https://llm.example/api/v1', 'tls llm.example 443 /api/v1/chat/completions'],
    ['http://[::1]:8080', 'tcp ::1 8080 /v1/chat/completions'],
    ['http://a/v1/completions', 'tcp a 80 /v1/chat/completions'],
    [
      'http://a/deployments/x?api-version=2',
      'tcp a 80 /deployments/x/chat/completions?api-version=2',
    ],
  ])('%s is %s', (url, expected) => {
    expect(place(url)).toBe(expected);
  });

  it.each([
    ['http://a', null],
    ['http://a/v1', null],
    ['http://a/v1/generate', 'typed'],
    ['http://a/v1/chat/completions', 'chat'],
    ['http://a/v1/completions/', 'completions'],
  ])('%s names the protocol %s', (url, protocol) => {
    const api = apiOf(url);
    expect(api.protocol).toBe(protocol);
    expect(routeOf(api, '/models').path).toBe('/v1/models');
  });

  it('keeps what is secret out of its name', () => {
    expect(apiOf('https://a/v1?key=secret', 'k').name).toBe('https://a/v1');
  });

  it.each([
    '',
    '7411',
    'localhost:7411',
    'ftp://a',
    'http://',
    'http://me:secret@a/v1',
    'x://me:secret@a',
  ])('is refused in a sentence: "%s"', (url) => {
    const refused = () => apiOf(url);
    expect(refused).toThrow(AddressError);
    expect(refused).not.toThrow(/secret/);
  });
});
