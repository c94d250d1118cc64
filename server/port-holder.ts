/** Who listens on a port of this machine: another Pilotlight, or a process by name and id. Best effort, never throws. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { SERVER_NAME } from './health.js';

export interface PortHolder {
  pilotlight: boolean;
  pid: number | null;
  /** The program's name, such as "nginx"; null: unknown. */
  name: string | null;
}

const run = promisify(execFile);

/** Longest time for one look, in milliseconds: the start waits for it. */
const LOOK_MS = 2_000;

export async function findPortHolder(port: number): Promise<PortHolder> {
  const [pilotlight, owner] = await Promise.all([isPilotlight(port), findOwner(port)]);
  return { pilotlight, ...owner };
}

/** "another Pilotlight (process 4711)", "nginx (process 4711)", "another program". */
export function describeHolder({ pilotlight, pid, name }: PortHolder): string {
  const who = pilotlight ? 'another Pilotlight' : (name ?? 'another program');
  return pid === null ? who : `${who} (process ${pid})`;
}

type Owner = Pick<PortHolder, 'pid' | 'name'>;
const NOBODY: Owner = { pid: null, name: null };

async function findOwner(port: number): Promise<Owner> {
  try {
    switch (process.platform) {
      case 'linux':
        return await ownerOnLinux(port);
      case 'darwin':
        return await ownerOnMac(port);
      case 'win32':
        return await ownerOnWindows(port);
      default:
        return NOBODY;
    }
  } catch {
    return NOBODY;
  }
}

/** Asks GET /health of whoever it is. An agent of our own: no proxy may stand between us and this machine. */
function isPilotlight(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(
      { host: '127.0.0.1', port, path: '/health', agent: new http.Agent(), timeout: LOOK_MS },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > 4096) request.destroy();
        });
        response.on('end', () => resolve(isOurHealth(text)));
        response.on('close', () => resolve(false));
      },
    );
    const limit = setTimeout(() => request.destroy(), LOOK_MS);
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
    request.on('close', () => clearTimeout(limit));
  });
}

function isOurHealth(text: string): boolean {
  try {
    return (JSON.parse(text) as { name?: unknown } | null)?.name === SERVER_NAME;
  } catch {
    return false;
  }
}

/** Inodes of sockets that listen on `port`, from the text of /proc/net/tcp or tcp6. */
export function listeningInodes(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${wanted}`) && fields[3] === '0A')
    .flatMap((fields) => fields[9] ?? []);
}

async function ownerOnLinux(port: number): Promise<Owner> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  const links = new Set(
    tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`),
  );
  if (links.size === 0) return NOBODY;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || !(await holdsOneOf(pid, links))) continue;
    return { pid: Number(pid), name: await programName(pid) };
  }
  return NOBODY;
}

async function holdsOneOf(pid: string, links: ReadonlySet<string>): Promise<boolean> {
  // Other people's processes cannot be looked into.
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const descriptor of descriptors) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
    if (links.has(target)) return true;
  }
  return false;
}

/** The program file's name; a thread's own name (comm) may be anything. */
async function programName(pid: string): Promise<string | null> {
  const program = await readlink(`/proc/${pid}/exe`).catch(() => null);
  if (program !== null) return path.basename(program.replace(/ \(deleted\)$/, ''));
  const comm = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return comm.trim() || null;
}

async function ownerOnMac(port: number): Promise<Owner> {
  const { stdout } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], {
    timeout: LOOK_MS,
  });
  return ownerFromLsof(stdout);
}

/** From `lsof -Fpc`: a line a field, "p" the process id and "c" the command. */
export function ownerFromLsof(output: string): Owner {
  const pid = /^p(\d+)$/m.exec(output)?.[1];
  const name = /^c(.+)$/m.exec(output)?.[1];
  return { pid: pid === undefined ? null : Number(pid), name: name ?? null };
}

async function ownerOnWindows(port: number): Promise<Owner> {
  const sockets = await run('netstat', ['-ano', '-p', 'TCP'], { timeout: LOOK_MS });
  const pid = pidFromNetstat(sockets.stdout, port);
  if (pid === null) return NOBODY;
  const tasks = await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'], {
    timeout: LOOK_MS,
  }).catch(() => ({ stdout: '' }));
  return { pid, name: /^"([^"]+)"/m.exec(tasks.stdout)?.[1] ?? null };
}

/** The words of netstat are translated, so a listening socket is known by its foreign port 0. */
export function pidFromNetstat(output: string, port: number): number | null {
  for (const line of output.split('\n')) {
    const [protocol, local, foreign, , pid] = line.trim().split(/\s+/);
    const listens = protocol === 'TCP' && local?.endsWith(`:${port}`) && foreign?.endsWith(':0');
    if (listens && pid !== undefined && /^\d+$/.test(pid)) return Number(pid);
  }
  return null;
}
