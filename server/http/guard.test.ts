import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import os from 'node:os';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withOriginForm } from './absolute-form.js';
import { errorHandler } from './errors.js';
import { hostGuard, isLoopback, ownNames, urlHost } from './guard.js';

let server: http.Server;
let port: number;

/** Status of a request written by hand, since HTTP clients do not send what is tried here. */
function ask(lines: string[]): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), body });
    });
  });
}

beforeAll(async () => {
  const app = express();
  app.use(
    hostGuard({
      names: () => ownNames('127.0.0.1'),
      allowedHosts: () => new Set(['llm.example', '[fd00::1]']),
      allowedOrigins: () => new Set(['https://app.example', 'app://notes']),
    }),
  );
  app.use((req, res) => void res.json({ url: req.url }));
  app.use(errorHandler(pino({ enabled: false })));
  server = http.createServer({ requireHostHeader: false }, withOriginForm(app));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const at = (text: string) => text.replace('PORT', String(port));

describe('Host', () => {
  it.each([
    '127.0.0.1:PORT',
    'localhost:PORT',
    '[::1]:PORT',
    'localhost',
    '127.0.0.1',
    'LOCALHOST',
  ])('lets %s in', async (host) => {
    expect((await ask(['GET / HTTP/1.1', `Host: ${at(host)}`])).status).toBe(200);
  });

  it.each([
    'evil.example:PORT',
    'evil.example',
    'localhost.evil.example:PORT',
    '127.0.0.1.evil.example',
    '127.0.0.1:1',
    'user@localhost:PORT',
    'localhost:PORT:PORT',
    'localhost:',
    '0.0.0.0:PORT',
    '[::2]:PORT',
    '',
  ])('refuses "%s" with a JSON error', async (host) => {
    const { status, body } = await ask(['GET / HTTP/1.1', `Host: ${at(host)}`]);
    expect(status).toBe(403);
    expect(Object.keys(JSON.parse(body).error)).toEqual(['message', 'type', 'param', 'code']);
  });

  it('that is foreign is told the address that was reached', async () => {
    const { body } = await ask(['GET / HTTP/1.1', 'Host: evil.example']);
    expect(JSON.parse(body).error.message).toContain(at('use http://127.0.0.1:PORT.'));
  });

  it('refuses a request without one, and one with two', async () => {
    expect((await ask(['GET / HTTP/1.0'])).status).toBe(400);
    const two = ['GET / HTTP/1.1', at('Host: localhost:PORT'), 'Host: evil.example'];
    expect((await ask(two)).status).toBe(400);
  });

  it('looks at an absolute request line too', async () => {
    const host = at('Host: localhost:PORT');
    expect((await ask(['GET http://evil.example/ HTTP/1.1', host])).status).toBe(403);
    const own = await ask([at('GET http://127.0.0.1:PORT/a?b HTTP/1.1'), host]);
    expect([own.status, own.body]).toEqual([200, '{"url":"/a?b"}']);
  });
});

describe('Origin', () => {
  const withHeader = (header: string) => ['GET / HTTP/1.1', at('Host: localhost:PORT'), at(header)];

  it.each(['http://127.0.0.1:PORT', 'http://localhost:PORT', 'http://[::1]:PORT'])(
    'lets %s in',
    async (origin) => {
      expect((await ask(withHeader(`Origin: ${origin}`))).status).toBe(200);
    },
  );

  it.each([
    'null',
    '',
    'http://evil.example',
    'http://localhost',
    'http://localhost:3000',
    'https://localhost:PORT',
    'http://localhost:PORT.evil.example',
    'http://localhost:PORT/path',
    'file://',
    'chrome-extension://abcdef',
  ])('refuses "%s"', async (origin) => {
    expect((await ask(withHeader(`Origin: ${origin}`))).status).toBe(403);
  });

  it('refuses images and scripts of other sites, but not a link to the window', async () => {
    const site = 'Sec-Fetch-Site: cross-site';
    expect((await ask([...withHeader(site), 'Sec-Fetch-Mode: no-cors'])).status).toBe(403);
    expect((await ask([...withHeader(site), 'Sec-Fetch-Mode: navigate'])).status).toBe(200);
    expect((await ask(withHeader('Sec-Fetch-Site: same-origin'))).status).toBe(200);
  });
});

it('takes the address that was reached for its own, also one that it did not have at its start', async () => {
  const loopback = { names: () => new Set(['10.0.0.7']), allowedHosts: () => new Set<string>() };
  const app = express();
  app.use(hostGuard({ ...loopback, allowedOrigins: () => new Set() }));
  app.use((_req, res) => void res.json({}));
  app.use(errorHandler(pino({ enabled: false })));
  const other = app.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const moved = (other.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${moved}`;
  const statusOf = async (headers: Record<string, string>) =>
    (await fetch(url, { headers })).status;
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ origin: url })).toBe(200);
  expect(await statusOf({ origin: `http://127.0.0.2:${moved}` })).toBe(403);
  await new Promise((resolve) => other.close(resolve));
});

describe('what is allowed besides', () => {
  const get = (host: string, ...headers: string[]) =>
    ask(['GET / HTTP/1.1', `Host: ${host}`, ...headers]);

  it.each(['llm.example', 'LLM.example:443', 'llm.example.', '[fd00::1]:8443'])(
    'lets the Host %s in',
    async (host) => {
      expect((await get(host)).status).toBe(200);
    },
  );

  it.each(['sub.llm.example', 'llm.example.evil.example', 'xllm.example', 'llm.example:x'])(
    'refuses the Host %s',
    async (host) => {
      expect((await get(host)).status).toBe(403);
    },
  );

  it('knows our window behind a proxy by the name it was asked at', async () => {
    const at = 'llm.example:8443';
    expect((await get(at, 'Origin: https://llm.example:8443')).status).toBe(200);
    expect((await get('llm.example', 'Origin: https://llm.example')).status).toBe(200);
    for (const other of ['https://llm.example', 'https://llm.example:1', 'ftp://llm.example:8443'])
      expect((await get(at, `Origin: ${other}`)).status).toBe(403);
    expect((await get(`localhost:${port}`, 'Origin: https://llm.example')).status).toBe(403);
  });

  it('lets pages of allowed origins in, and no others', async () => {
    const site = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors'];
    for (const own of ['https://app.example', 'HTTPS://APP.EXAMPLE', 'app://notes'])
      expect((await get('localhost', `Origin: ${own}`, ...site)).status).toBe(200);
    for (const other of [
      'http://app.example',
      'https://app.example:8443',
      'https://app.example.evil.example',
      'https://evil.example',
      'null',
    ])
      expect((await get('localhost', `Origin: ${other}`)).status).toBe(403);
    // Without an Origin it is an image or a script, which anybody's page may hold.
    expect((await get('localhost', ...site)).status).toBe(403);
  });
});

describe('names', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.1.2.3', true],
    ['localhost', true],
    ['::1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.5', false],
    ['127.0.0.1.evil.example', false],
  ])('%s is loopback: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });

  it('includes the machine only where it serves the network', () => {
    expect(ownNames('127.0.0.1').has(os.hostname().toLowerCase())).toBe(false);
    const names = ownNames('0.0.0.0');
    expect(names.has(os.hostname().toLowerCase())).toBe(true);
    for (const addresses of Object.values(os.networkInterfaces())) {
      for (const { address } of addresses ?? []) expect(names.has(urlHost(address))).toBe(true);
    }
  });

  it('writes addresses as URLs do', () => {
    expect(urlHost('::FFFF:192.168.1.5')).toBe('192.168.1.5');
    expect(urlHost('::ffff:1')).toBe('[::ffff:1]');
    expect(urlHost('FE80::1%eth0')).toBe('[fe80::1]');
    expect(urlHost('[::1]')).toBe('[::1]');
  });
});
