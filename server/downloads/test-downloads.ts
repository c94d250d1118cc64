/** Downloads from the hub of tests, for tests. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Download } from '../../protocol/downloads.js';
import type { TestHub } from '../hub/test-hub.js';
import type { TestRepo } from '../hub/test-hub-repos.js';
import type { Variant } from './choice.js';
import type { DownloadRules } from './download.js';
import type { Downloads, DownloadsOptions } from './downloads.js';

/** Waits that a test can bear. */
export const TEST_RULES: DownloadRules = {
  retry: { firstMs: 1, longestMs: 20, tries: 6 },
  stallMs: 60_000,
};

export const REPO = 'ada/tiny';

/** A file of random bytes in a repo of the hub. */
export function putRandom(hub: TestHub, file: string, bytes: number): Buffer {
  const content = randomBytes(bytes);
  hub.putFile(REPO, file, content);
  return content;
}

/** What the hub's API would tell: each file of the repo is a variant, or those that are named together. */
export function testDetails(repo: TestRepo, groups: string[][] = []): DownloadsOptions['details'] {
  const variantOf = (files: string[]): Variant => {
    const all = files.map((file) => {
      const found = repo.files.get(file);
      if (found === undefined) throw new Error(`${file} is not in the repo`);
      return { path: file, size_bytes: found.size, sha256: found.sha256 };
    });
    const name = (files[0] ?? '').replace(/(-\d{5}-of-\d{5})?\.gguf$/, '');
    const size_bytes = all.reduce((sum, each) => sum + each.size_bytes, 0);
    const quantization = /-(Q\d\w*)$/.exec(name)?.[1] ?? null;
    return { name, quantization, files: all, size_bytes };
  };
  return async () => {
    const grouped = new Set(groups.flat());
    const single = [...repo.files.keys()].filter((file) => !grouped.has(file));
    const variants = [...groups, ...single.map((file) => [file])].map(variantOf);
    return { revision: repo.commit, variants };
  };
}

/** Resolves with the first state of a download for which the predicate holds. */
export function until(
  downloads: Downloads,
  id: string,
  predicate: (download: Download) => boolean,
): Promise<Download> {
  return new Promise((resolve) => {
    const look = () => {
      const found = downloads.find(id);
      if (found === null || !predicate(found)) return;
      unsubscribe();
      resolve(found);
    };
    const unsubscribe = downloads.subscribe(look);
    look();
  });
}

/** All files below a folder with their SHA-256, hidden ones too. */
export async function filesIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(folder, { recursive: true })) {
    const full = path.join(folder, name);
    if ((await stat(full)).isFile())
      found[name.replaceAll('\\', '/')] = sha256(await readFile(full));
  }
  return found;
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
