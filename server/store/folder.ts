import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and those above it; one that is there is fine. Throws the file system's error.
 *
 * Node's own `recursive` goes round for ever below a folder in which the system answers "no such file" to making one
 * (/proc), and cannot even be interrupted.
 */
export function ensureFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.push(at);
  for (const at of missing.reverse()) {
    try {
      mkdirSync(at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
