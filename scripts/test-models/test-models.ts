/** Puts the test models into a folder, once. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTestModel, TEST_MODEL_NAMES, type TestModelName } from './catalogue.js';

/** Says which generator made the models of a folder, and how long each file is. */
interface Stamp {
  source: string;
  sizes: Record<string, number>;
}

const STAMP_FILE = '.test-models.json';
const SCRATCH_PREFIX = '.making-';

/**
 * Makes every test model in `dir` (created when missing) and resolves to the absolute path of each
 * file. Files that this version of the generator has already made there are left alone; others are
 * replaced, each by one rename, so that no reader ever sees half a file. Several processes may call
 * it on one folder at once: both write the same bytes. Rejects with the file system's error when
 * the folder cannot be written.
 */
export async function ensureTestModels(dir: string): Promise<Record<TestModelName, string>> {
  const folder = path.resolve(dir);
  const paths = Object.fromEntries(
    TEST_MODEL_NAMES.map((name) => [name, path.join(folder, `${name}.gguf`)]),
  ) as Record<TestModelName, string>;
  const source = await sourceHash();
  if (await isComplete(folder, paths, source)) return paths;

  await fs.mkdir(folder, { recursive: true });
  await removeAbandoned(folder);
  const scratch = await fs.mkdtemp(path.join(folder, `${SCRATCH_PREFIX}${process.pid}-`));
  try {
    const stamp: Stamp = { source, sizes: {} };
    for (const name of TEST_MODEL_NAMES) {
      const bytes = makeTestModel(name);
      stamp.sizes[name] = bytes.length;
      await place(scratch, paths[name], bytes);
    }
    await place(scratch, path.join(folder, STAMP_FILE), Buffer.from(JSON.stringify(stamp)));
  } finally {
    await fs.rm(scratch, { recursive: true, force: true });
  }
  return paths;
}

/** A hash over the generator's own sources: any change of them makes the folder stale. */
async function sourceHash(): Promise<string> {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const files = (await fs.readdir(here)).filter((file) => /(?<!\.test)\.ts$/.test(file)).sort();
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${file}\0`);
    // A checkout with CRLF line ends makes the same models.
    hash.update((await fs.readFile(path.join(here, file), 'utf8')).replaceAll('\r\n', '\n'));
  }
  return hash.digest('hex');
}

async function isComplete(
  folder: string,
  paths: Record<TestModelName, string>,
  source: string,
): Promise<boolean> {
  try {
    const stamp = JSON.parse(await fs.readFile(path.join(folder, STAMP_FILE), 'utf8')) as Stamp;
    if (stamp.source !== source) return false;
    for (const name of TEST_MODEL_NAMES) {
      if ((await fs.stat(paths[name])).size !== stamp.sizes[name]) return false;
    }
    return true;
  } catch {
    // No stamp, a damaged stamp or a missing file: all mean that the models must be made.
    return false;
  }
}

/**
 * A file with the right bytes stays: on Windows a model that another process has mapped cannot be
 * replaced.
 */
async function place(scratch: string, target: string, bytes: Uint8Array): Promise<void> {
  const current = await fs.readFile(target).catch(() => undefined);
  if (current?.equals(bytes)) return;
  const part = path.join(scratch, path.basename(target));
  await fs.writeFile(part, bytes);
  await fs.rename(part, target);
}

/** Removes the scratch folders of processes that were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const entry of await fs.readdir(folder)) {
    if (!entry.startsWith(SCRATCH_PREFIX)) continue;
    const pid = Number.parseInt(entry.slice(SCRATCH_PREFIX.length), 10);
    if (isRunning(pid)) continue;
    await fs.rm(path.join(folder, entry), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
