import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ListenError, type Listening, listen } from './port.js';
import { describeHolder, listeningInodes, ownerFromLsof, pidFromNetstat } from './port-holder.js';

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const answer: http.RequestListener = (_req, res) => void res.end('ours');

async function listening(host: string, port: number): Promise<Listening> {
  const found = await listen(host, port, answer);
  open.push(...found.servers);
  return found;
}

/** Somebody else's server on a free port of 127.0.0.1. */
async function occupy(server: net.Server, host = '127.0.0.1'): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

const hasIpv6 = await occupy(net.createServer(), '::1').then(
  () => true,
  () => false,
);

const get = async (url: string) => (await fetch(url)).text();

describe('listen', () => {
  it('takes any port for 0, on both loopback addresses', async () => {
    const { port, notice, servers } = await listening('127.0.0.1', 0);
    expect(notice).toBeNull();
    expect(await get(`http://127.0.0.1:${port}/`)).toBe('ours');
    expect(servers).toHaveLength(hasIpv6 ? 2 : 1);
    if (hasIpv6) expect(await get(`http://[::1]:${port}/`)).toBe('ours');
  });

  it('takes the next port where one is taken, and says by whom', async () => {
    const taken = await occupy(net.createServer((socket) => socket.destroy()));
    const { port, notice } = await listening('127.0.0.1', taken);
    expect(port).toBeGreaterThan(taken);
    expect(notice).toMatch(
      new RegExp(`^Port ${taken} is used by .+; .* at port ${port} instead\\.$`),
    );
    if (process.platform === 'linux') expect(notice).toContain(`(process ${process.pid})`);
    expect(await get(`http://127.0.0.1:${port}/`)).toBe('ours');
  });

  it('knows another Pilotlight', async () => {
    const health = (_: unknown, res: http.ServerResponse) =>
      void res.end('{"status":"ok","name":"pilotlight"}');
    const taken = await occupy(http.createServer(health));
    expect((await listening('127.0.0.1', taken)).notice).toContain('used by another Pilotlight');
  });

  it('is not held up by a holder that never answers, and not fooled by one that does so oddly', async () => {
    const silent = await occupy(net.createServer());
    expect((await listening('127.0.0.1', silent)).notice).not.toContain('another Pilotlight');
    const odd = await occupy(http.createServer((_, res) => void res.end('null')));
    expect((await listening('127.0.0.1', odd)).notice).not.toContain('another Pilotlight');
  });

  it.runIf(hasIpv6)('does not share "localhost" with someone on IPv6', async () => {
    const taken = await occupy(net.createServer(), '::1');
    const { port, notice } = await listening('127.0.0.1', taken);
    expect(port).not.toBe(taken);
    expect(notice).toContain(`Port ${taken}`);
  });

  it('says which address this machine does not have', async () => {
    await expect(listen('192.0.2.1', 0, answer)).rejects.toThrow(ListenError);
    await expect(listen('192.0.2.1', 0, answer)).rejects.toThrow('192.0.2.1');
  });
});

describe('describeHolder', () => {
  it.each([
    [{ pilotlight: true, pid: 7, name: 'node' }, 'another Pilotlight (process 7)'],
    [{ pilotlight: true, pid: null, name: null }, 'another Pilotlight'],
    [{ pilotlight: false, pid: 7, name: 'nginx' }, 'nginx (process 7)'],
    [{ pilotlight: false, pid: 7, name: null }, 'another program (process 7)'],
    [{ pilotlight: false, pid: null, name: null }, 'another program'],
  ])('%j: %s', (holder, words) => {
    expect(describeHolder(holder)).toBe(words);
  });
});

describe('what systems print', () => {
  it('/proc/net/tcp', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:1CF3 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 424242 1 x',
      '   1: 0100007F:1CF3 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000 0 555555 1 x',
      '   2: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 666666 1 x',
    ].join('\n');
    expect(listeningInodes(table, 7411)).toEqual(['424242']);
    expect(listeningInodes(table, 80)).toEqual(['666666']);
    expect(listeningInodes('', 80)).toEqual([]);
  });

  it('lsof', () => {
    expect(ownerFromLsof('p4711\ncnode\nf22\n')).toEqual({ pid: 4711, name: 'node' });
    expect(ownerFromLsof('')).toEqual({ pid: null, name: null });
  });

  it('netstat, in any language', () => {
    const output = [
      '',
      'Aktive Verbindungen',
      '',
      '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
      '  TCP    127.0.0.1:7411         0.0.0.0:0              ABHÖREN          4711',
      '  TCP    127.0.0.1:7411         127.0.0.1:50123        HERGESTELLT      99',
      '  TCP    127.0.0.1:17411        0.0.0.0:0              ABHÖREN          5',
    ].join('\r\n');
    expect(pidFromNetstat(output, 7411)).toBe(4711);
    expect(pidFromNetstat(output, 411)).toBeNull();
  });
});
