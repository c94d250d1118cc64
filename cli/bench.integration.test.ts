// The built command line against a real server, and against servers that do what none should.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROTOCOLS } from '../load/api.js';
import type { Report } from '../load/report.js';
import {
  chatChunks,
  type RogueAnswer,
  rogueServers,
  sendEvents,
} from '../load/test-rogue-server.js';
import { startTestServer, type TestServer } from '../server/test-server.js';

const PROGRAM = path.resolve(import.meta.dirname, '..', 'out', 'cli', 'pilotlight.js');
const KEY = 'pl-secret-0123456789';
/** Windows ends a process without asking it. */
const onPosix = process.platform !== 'win32';
const startRogue = rogueServers();

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-bench-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Said {
  code: number | null;
  stdout: string;
  stderr: string;
}

function begin(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const clean = { ...process.env, PILOTLIGHT_API_KEY: '', OPENAI_API_KEY: '', ...env };
  const child = spawn(process.execPath, [PROGRAM, 'bench', ...args], { env: clean });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  const ended = once(child, 'close').then(([code]): Said => ({ code, stdout, stderr }));
  return { child, ended };
}
const bench = (...args: string[]) => begin(args).ended;

const SHORT = ['--concurrency', '1,2', '--requests', '4', '--max-tokens', '8', '--warm-up', '0'];
const whole: RogueAnswer = (res) => {
  sendEvents(res, [...chatChunks(), '[DONE]']);
  res.end();
};

describe('a real server', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await startTestServer({ models: ['random'], config: { apiKeys: [KEY], parallel: 4 } });
  });
  afterAll(() => test.close());
  const withKey = (...args: string[]) =>
    begin([test.server.url, ...SHORT, ...args], { PILOTLIGHT_API_KEY: KEY }).ended;

  it.each(PROTOCOLS)('is in order: %s', async (protocol) => {
    const [json, html] = [path.join(folder, 'r.json'), path.join(folder, 'r.html')];
    const said = await withKey('--protocol', protocol, '--json', json, '--html', html);
    expect(said).toMatchObject({ code: 0 });
    expect(said.stdout).toMatch(/\| requests +\| +4 \| +4 \|/);
    expect(said.stdout).toMatch(/\| counted by +\| +server \| +server \|/);
    expect(said.stderr).toContain('model random');
    const report: Report = JSON.parse(await readFile(json, 'utf8'));
    expect(report).toMatchObject({ protocol, model: 'random', ended: 'done', reason: null });
    expect(report.levels.map(({ ok, output_tokens }) => [ok, output_tokens])).toEqual([
      ...[0, 1].map(() => [4, 32]),
    ]);
    const page = await readFile(html, 'utf8');
    expect(page).toContain('Time to first token');
    for (const text of [said.stdout, said.stderr, JSON.stringify(report), page]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain('\u001b');
    }
  });

  it('is asked with typed events unless said otherwise, and JSON can go on', async () => {
    const { code, stdout, stderr } = await withKey('--json', '-');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ tool: 'pilotlight bench', protocol: 'typed' });
    expect(stderr).toMatch(/\| requests +\| +4 \| +4 \|/);
  });

  it('wants a key', async () => {
    const none = await bench(test.server.url, ...SHORT);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toMatch(/wants a key: give it with --api-key or in PILOTLIGHT_API_KEY/);
    const wrong = await bench(test.server.url, ...SHORT, '--api-key', 'pl-wrong');
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('does not take this key');
    expect(wrong.stderr).not.toContain('pl-wrong');
  });

  it('does not have every model', async () => {
    const { code, stderr } = await withKey('--model', 'nobody');
    expect(code).toBe(1);
    expect(stderr).toMatch(/has no model "nobody" .*Available: "random".*--model/);
  });

  it('says what it refuses', async () => {
    const { code, stderr } = await withKey('--body', '{"temperature": 9}');
    expect(code).toBe(1);
    expect(stderr).toContain('temperature must be a number from 0 to 2');
  });
});

describe('a server that', () => {
  it('breaks its protocol', async () => {
    const { url } = await startRogue((res) => {
      sendEvents(res, [...chatChunks().map((chunk, created) => ({ ...chunk, created })), '[DONE]']);
      res.end();
    });
    const { code, stdout, stderr } = await bench(
      url,
      ...SHORT,
      '--html',
      path.join(folder, 'p.html'),
    );
    expect(code).toBe(2);
    expect(stdout).toMatch(/\| protocol errors +\| +4 \| +4 \|/);
    expect(stderr).toMatch(/1 at once: 4 × protocol error, created_changed: .* 0, then 1/);
    expect(await readFile(path.join(folder, 'p.html'), 'utf8')).toContain('created_changed');
  });

  it('dies in mid-stream', async () => {
    const { url } = await startRogue((res) => {
      sendEvents(res, chatChunks().slice(0, 2));
      setImmediate(() => res.socket?.destroy());
    });
    const { code, stdout, stderr } = await bench(url, ...SHORT);
    expect(code).toBe(3);
    expect(stdout).toMatch(/\| failed +\| +4 \| +4 \|/);
    expect(stderr).toMatch(/4 × failed, broken: the connection/);
    expect(stdout).toContain('client (estimate)');
  });

  it('is too busy at first', async () => {
    const { url } = await startRogue((res, request) => {
      // The first one only tries the server.
      if (request.number % 2 === 0) whole(res, request);
      else res.writeHead(429, { 'retry-after': '0' }).end('{"error":"busy"}');
    });
    const { code, stderr } = await bench(url, ...SHORT, '--concurrency', '1');
    expect(code).toBe(0);
    expect(stderr).toMatch(/too busy \(429\): 4\. Their requests were sent again/);
  });

  it('goes away', async () => {
    const server = net.createServer((socket) => {
      socket.once('data', (request) => {
        const isPost = request.toString().startsWith('POST');
        const events = [...chatChunks().map((chunk) => JSON.stringify(chunk)), '[DONE]'];
        const body = events.map((event) => `data: ${event}\n\n`).join('');
        socket.end(
          isPost
            ? `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${body}`
            : 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n',
        );
        if (isPost && ++answers === 3) server.close();
      });
    });
    let answers = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const said = await bench(`http://127.0.0.1:${port}`, ...SHORT, '--concurrency', '1');
    expect(said.code).toBe(1);
    expect(said.stdout).toMatch(/\| ok +\| +2 \|/);
    expect(said.stderr).toMatch(/Ended early\. Nobody listens at/);
  });

  it('is none', async () => {
    const { url } = await startRogue(
      (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<title>Router</title>'),
      {},
    );
    const page = await bench(url, ...SHORT);
    expect(page).toMatchObject({ code: 1, stdout: '' });
    expect(page.stderr).toMatch(/not a server of this kind: it answers with a web page/);

    const other = net.createServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const mail = await bench(`127.0.0.1:${port}`.replace(/^/, 'http://'), ...SHORT);
    other.close();
    expect(mail.stderr).toMatch(/not a server of this kind: it does not speak HTTP/);
    expect((await bench(`http://127.0.0.1:${port}`)).stderr).toMatch(
      /^Nobody listens at .*pilotlight serve/,
    );
  });

  it.runIf(onPosix)('is measured until the person ends it', async () => {
    const json = path.join(folder, 'r.json');
    const { url } = await startRogue((res, request) => {
      if (request.number < 4) whole(res, request);
      else if (request.number === 5) running.child.kill('SIGINT');
    });
    const running = begin([
      url,
      ...SHORT,
      '--concurrency',
      '2',
      '--requests',
      '100',
      '--json',
      json,
    ]);
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(/\| ok +\| +3 \|/);
    expect(stderr).toMatch(/Ended early, by you/);
    expect(stderr).toMatch(/cut off, and are not counted: 2/);
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({ ended: 'interrupted' });
  });
});

describe('what cannot be is refused in a sentence', () => {
  it.each<[string[], RegExp]>([
    [['ftp://a'], /is not the URL of a server: expected one such as http:\/\/127\.0\.0\.1:7411/],
    [['http://me:pw@a'], /A URL with a name or password in it is not taken/],
    [['--protocol', 'grpc'], /--protocol.*Allowed choices are auto, typed, chat, completions/],
    [['--concurrency', '1,x'], /--concurrency.*whole number from 1 to 4096/],
    [['--concurrency', ''], /--concurrency.*whole number/],
    [['--requests', '0'], /--requests.*whole number/],
    [
      ['--requests', '1', '--duration', '1'],
      /'--duration <seconds>' cannot be used with option '--requests/,
    ],
    [['--prompt', 'a', '--prompt-tokens', '1'], /cannot be used with option '--prompt/],
    [['--rate', '0'], /--rate.*number above 0/],
    [['--timeout', '1e9'], /--timeout.*number above 0/],
    [['--body', '[1]'], /--body.*JSON object/],
    [['--api-key', 'a b'], /key holds characters/],
    [['--json', '/nowhere/r.json'], /\/nowhere\/r\.json cannot be written/],
    [['--html', os.tmpdir()], /is a folder; expected a file/],
    [['http://127.0.0.1:7411', 'extra'], /too many arguments/],
  ])('%j', async (args, sentence) => {
    const said = await bench(...args);
    expect(said).toMatchObject({ code: 1, stdout: '' });
    expect(said.stderr).toMatch(sentence);
    expect(said.stderr).not.toContain('pw');
  });
});
