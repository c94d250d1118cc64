/**
 * The log: <dataDir>/logs/server.log, one JSON object a line. Never holds prompts, answers or keys. What cannot be
 * logged is lost without a word: a full disk must not stop an answer.
 */
import { renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Logger, pino } from 'pino';
import { LogTail } from './serving/log-tail.js';
import { ensureFolder } from './store/folder.js';

/** The log starts anew above this size in bytes; the last one is kept as server.old.log. */
const ROTATE_BYTES = 5 * 1024 * 1024;

const OPTIONS = { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };

/** The log, and what is shown of it; without a file it is shown all the same. */
export function openLog(dataDir: string): { log: Logger; tail: LogTail } {
  try {
    const folder = path.join(dataDir, 'logs');
    ensureFolder(folder);
    const file = path.join(folder, 'server.log');
    rotate(file);
    const tail = new LogTail(file);
    // Synchronous: a few lines a request, and none is lost when the process ends.
    const destination = pino.destination({ dest: file, sync: true });
    destination.on('error', () => {});
    const write = (line: string) => {
      destination.write(line);
      tail.add(line);
    };
    return { log: pino(OPTIONS, { write }), tail };
  } catch {
    const tail = new LogTail(null);
    return { log: pino(OPTIONS, { write: (line: string) => tail.add(line) }), tail };
  }
}

function rotate(file: string): void {
  try {
    if (statSync(file).size > ROTATE_BYTES) renameSync(file, file.replace(/\.log$/, '.old.log'));
  } catch {
    // There is none yet, or another server holds it.
  }
}
