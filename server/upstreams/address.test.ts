import { describe, expect, it } from 'vitest';
import { baseUrl, baseUrlProblem, urlAt } from './address.js';

describe('a route of an upstream', () => {
  it.each(['http://box:8000', 'http://box:8000/', 'http://box:8000/v1', ' http://box:8000/v1/ '])(
    'is found from %j',
    (text) => {
      const base = baseUrl(text);
      expect(urlAt(base, 'v1', '/v1/chat/completions')).toBe('http://box:8000/v1/chat/completions');
      expect(urlAt(base, 'v1', '/api/chat?x=1')).toBe('http://box:8000/api/chat?x=1');
    },
  );

  it('is found below a path, and right under a URL that is bare', () => {
    expect(urlAt('https://a.example/llm/v1', 'v1', '/tokenize')).toBe(
      'https://a.example/llm/tokenize',
    );
    expect(urlAt('https://a.example/paas/v4', 'bare', '/v1/models')).toBe(
      'https://a.example/paas/v4/models',
    );
    expect(urlAt('https://a.example/paas/v4', 'bare', '/api/chat')).toBe(
      'https://a.example/paas/v4/api/chat',
    );
  });
});

describe('a base URL', () => {
  it('is refused in words where it cannot be one', () => {
    expect(baseUrlProblem('http://10.0.0.5:8000/v1')).toBeNull();
    expect(baseUrlProblem('box')).toContain('is no URL');
    expect(baseUrlProblem('ftp://box')).toContain('http://');
    expect(baseUrlProblem('http://me:secret@box/v1')).toContain('password');
    expect(baseUrlProblem('http://box/v1?key=1')).toContain('"?"');
  });
});
