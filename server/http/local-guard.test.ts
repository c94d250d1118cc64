import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorHandler } from './errors.js';
import { localGuard } from './local-guard.js';
import { factsOf } from './request-log.js';

let server: http.Server;
let port: number;

beforeAll(async () => {
  const app = express();
  app.use((req, res, next) => {
    // The address of another machine cannot be had on one.
    const from = req.headers['x-test-from'];
    if (from !== undefined) Object.defineProperty(req.socket, 'remoteAddress', { value: from });
    factsOf(res).isOwner = req.headers['x-test-owner'] === 'yes';
    next();
  });
  app.use(localGuard, (_req, res) => void res.json({ passed: true }));
  app.use(errorHandler(pino({ enabled: false })));
  await new Promise<void>((resolve) => {
    server = app.listen(0, '127.0.0.1', () => resolve());
  });
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** fetch() cannot set Host. */
async function ask(headers: Record<string, string>) {
  const agent = new http.Agent();
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, headers, agent }, resolve).on('error', reject);
  });
  return { status: response.statusCode, body: await text(response) };
}

describe('lets pass', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.8.9.1', 'localhost'],
    ['::1', '[::1]'],
    ['::ffff:127.0.0.1', 'LOCALHOST'],
  ])('%s, which asks for %s', async (from, name) => {
    const headers = { 'x-test-from': from, host: `${name}:${port}` };
    expect(await ask(headers)).toEqual({ status: 200, body: '{"passed":true}' });
  });

  it("the person's own key from anywhere, and the window's own page", async () => {
    const owner = { 'x-test-owner': 'yes', host: `10.0.0.9:${port}` };
    expect((await ask({ ...owner, 'x-test-from': '10.0.0.7' })).status).toBe(200);
    const page = { host: `localhost:${port}`, origin: `http://localhost:${port}` };
    expect((await ask(page)).status).toBe(200);
  });
});

describe('refuses', () => {
  it.each(['10.0.0.7', '::ffff:10.0.0.7', 'fe80::1%eth0', '127.0.0.1.example'])(
    'a request from %s',
    async (from) => {
      const told = await ask({ 'x-test-from': from, host: `localhost:${port}` });
      expect(told.status).toBe(403);
      expect(told.body).toContain('only on the machine that Pilotlight runs on');
    },
  );

  it.each([
    ['host', 'llm.example'],
    ['x-forwarded-for', '10.0.0.7'],
    ['forwarded', 'for=10.0.0.7'],
    ['x-real-ip', '10.0.0.7'],
    ['via', '1.1 proxy'],
  ])('a proxy of this machine, known by %s: %s', async (header, value) => {
    expect((await ask({ host: `localhost:${port}`, [header]: value })).status).toBe(403);
  });

  it("a page of another origin, also with the person's own key", async () => {
    const headers = { host: `localhost:${port}`, origin: 'https://app.example' };
    expect((await ask(headers)).status).toBe(403);
    expect((await ask({ ...headers, 'x-test-owner': 'yes' })).status).toBe(403);
  });
});
