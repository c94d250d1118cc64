import { execFileSync } from 'node:child_process';
import net from 'node:net';

/** Whether a process runs. One that has ended and waits for its parent to notice counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform === 'win32') return true;
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    return !state.trim().startsWith('Z');
  } catch {
    return false;
  }
}

/** Every process below `pid`, with `pid` itself. POSIX only. */
export function processTree(pid: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const tree = [pid];
  for (const parent of tree) {
    for (const [child, itsParent] of rows) {
      if (itsParent === parent && !tree.includes(child)) tree.push(child);
    }
  }
  return tree;
}

/** A port that nobody uses at the moment. */
export async function freePort(): Promise<number> {
  const server = await holdPort(0);
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Listens on a port of the loopback, and answers nothing. */
export function holdPort(port: number): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
