// The command `pilotlight rpc-worker` as a process of its own.
import { execFile } from 'node:child_process';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from './test-cli.js';
import { testWorkers } from './test-workers.js';

const onPosix = process.platform !== 'win32';
const { worker } = testWorkers();
const servers: net.Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((each) => new Promise((done) => each.close(done))));
});

/** Ids of the processes that one has started. */
async function childrenOf(pid: number | undefined): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([id = 0]) => id);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function gone(pids: number[]): Promise<void> {
  while (pids.some(isAlive)) await delay(20);
}

describe('rpc-worker', () => {
  it('tells where it is, what it has, and that nobody is kept out', async () => {
    const { host, run } = await worker('--memory', '300MB');
    expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(run.stdout()).toMatch(/protocol \d+\.\d+\.\d+/);
    expect(run.stdout()).toMatch(/^ {2}\S+: .+, 300 MB$/m);
    await run.errorLine('no authentication and no encryption');
  });

  it('refuses addresses that are not private', async () => {
    const said = await runCli(['rpc-worker', '--host', '203.0.113.7']);
    expect(said.code).toBe(1);
    expect(said.stderr).toContain('203.0.113.7 is refused: it is not a private address');
  });

  it('refuses an address that this machine does not have, and a device', async () => {
    const nowhere = await runCli(['rpc-worker', '--host', '10.255.255.253', '--port', '0']);
    expect(nowhere).toMatchObject({ code: 1 });
    expect(nowhere.stderr).toContain('has no address 10.255.255.253 to listen at');
    const unknown = await runCli(['rpc-worker', '--port', '0', '--device', 'CUDA77']);
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).toMatch(/There is no device "CUDA77"\. There are: .*CPU/);
  });

  it('says in words that its port is taken', async () => {
    const server = net.createServer((socket) => socket.destroy());
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const said = await runCli(['rpc-worker', '--port', String(port)]);
    expect(said.code).toBe(1);
    expect(said.stderr).toMatch(new RegExp(`Port ${port} is used by .*: choose another one`));
  });

  it.runIf(onPosix)('ends with its processes when it is asked to', async () => {
    const { run } = await worker();
    const children = await childrenOf(run.child.pid);
    expect(children.length).toBeGreaterThan(0);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    await gone(children);
  });

  it.runIf(onPosix)('leaves no process behind when it is killed', async () => {
    const { run } = await worker();
    const children = await childrenOf(run.child.pid);
    expect(children.length).toBeGreaterThan(0);
    run.child.kill('SIGKILL');
    expect(await run.ended).toBe('SIGKILL');
    await gone(children);
  });
});
