import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLog } from './log.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'log-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const logs = () => path.join(dataDir, 'logs');

describe('the log', () => {
  it('is a file of one JSON object a line', async () => {
    const { log } = openLog(dataDir);
    log.info({ a: 1 }, 'one');
    log.warn('two');
    const lines = (await readFile(path.join(logs(), 'server.log'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['one', 'two']);
  });

  it('begins anew when it has grown big, and keeps the last one', async () => {
    await mkdir(logs());
    const file = path.join(logs(), 'server.log');
    await writeFile(file, 'x'.repeat(6 * 1024 * 1024));
    openLog(dataDir).log.info('fresh');
    expect((await readdir(logs())).sort()).toEqual(['server.log', 'server.old.log']);
    expect((await stat(file)).size).toBeLessThan(1000);
  });

  it('is silent where the folder cannot be made', async () => {
    await writeFile(path.join(dataDir, 'logs'), 'a file is in the way');
    expect(() => openLog(dataDir).log.info('lost')).not.toThrow();
  });
});
