/** The built command line, run to its end, for tests. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = path.resolve(import.meta.dirname, '..', 'out', 'cli', 'pilotlight.js');

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

export async function runCli(args: readonly string[], env = process.env): Promise<Said> {
  try {
    const said = await promisify(execFile)(process.execPath, [PROGRAM, ...args], { env });
    return { code: 0, ...said };
  } catch (error) {
    return error as Said;
  }
}
