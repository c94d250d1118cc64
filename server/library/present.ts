/** Which of the models that places seem to have are there. */
import { realpath, stat } from 'node:fs/promises';
import type { Candidate } from './candidate.js';
import type { FileStat } from './header-cache.js';

/** Files that are looked at together: network drives answer late, not slowly. */
const AT_ONCE = 16;

export interface Present {
  candidate: Candidate;
  /** Of the first file. */
  path: string;
  stats: FileStat[];
  realPaths: string[];
}

/**
 * Those whose files are all there; each file once, however many ways lead to it. `others`: ids by which further ways name
 * a file that counts already.
 */
export async function present(
  candidates: readonly Candidate[],
): Promise<{ found: Present[]; others: [id: string, known: Present][] }> {
  const looked = await inBatches(candidates, async (candidate): Promise<Present> => {
    const stats = await statAll(candidate.paths);
    const realPaths = await Promise.all(
      stats.map((file) => realpath(file.path).catch(() => file.path)),
    );
    return { candidate, path: candidate.paths[0] ?? '', stats, realPaths };
  });
  const found: Present[] = [];
  const others: [string, Present][] = [];
  const seen = new Map<string, Present>();
  for (const each of looked) {
    const { candidate, stats, realPaths } = each;
    if (stats.length < candidate.paths.length && candidate.problem === null) continue;
    const [known] = realPaths.flatMap((real) => seen.get(real) ?? []);
    if (known === undefined) {
      for (const real of realPaths) seen.set(real, each);
      found.push(each);
    } else if (candidate.id !== null) {
      others.push([candidate.id, known]);
    }
  }
  return { found, others };
}

/** All results in order, some at a time. */
export async function inBatches<T, R>(
  items: readonly T[],
  act: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const batch = items.slice(at, at + AT_ONCE);
    results.push(...(await Promise.all(batch.map((item, i) => act(item, at + i)))));
  }
  return results;
}

async function statAll(paths: readonly string[]): Promise<FileStat[]> {
  const stats: FileStat[] = [];
  for (const file of paths) {
    try {
      const { size, mtimeMs } = await stat(file);
      stats.push({ path: file, size, mtimeMs });
    } catch {
      // Gone between the listing and now.
    }
  }
  return stats;
}
