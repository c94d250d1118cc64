/** Which vision projector belongs to a model: files with "mmproj" in their names, beside it. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Candidate } from './candidate.js';
import type { GgufHeader } from './gguf.js';
import type { HeaderCache } from './header-cache.js';
import { stem } from './names.js';

/** Words of a projector's name that say nothing of its model. */
const EMPTY_WORD = /^(mmproj|model|gguf|vision|bf16|fp?16|fp?32|q\d+)$/;

/** Formats from best to worst: half precision loses nothing that one would see, and full takes twice the room. */
const FORMATS = ['f16', 'bf16', 'q8', 'f32'];

/** Of those with long lists only the first are looked at, sorted by name. */
const MAX_LOOKED_AT = 20;

/** Null: none, or none that fits. */
export async function findProjector(
  candidate: Candidate,
  model: GgufHeader,
  cache: HeaderCache,
): Promise<string | null> {
  const fitting: { file: string; rank: number }[] = [];
  for (const file of candidate.projectors.slice(0, MAX_LOOKED_AT)) {
    const naming = namingOf(file, candidate.base);
    // Ollama's manifests say themselves what belongs together.
    const isNamed = candidate.source === 'ollama' || naming === 'this';
    if (!isNamed && naming === 'other') continue;
    const found = await stat(file).catch(() => null);
    if (found === null) continue;
    const header = await cache.read({ path: file, size: found.size, mtimeMs: found.mtimeMs });
    if ('problem' in header || !header.hasVision || found.size < header.neededBytes) continue;
    // Old projectors tell another length, so that it proves nothing where it differs.
    const isAlike =
      header.projectionLength !== null && header.projectionLength === model.embeddingLength;
    if (!isNamed && !candidate.isAlone && !isAlike) continue;
    const words = wordsOf(stem(path.basename(file)));
    const format = FORMATS.findIndex((each) => words.includes(each));
    fitting.push({ file, rank: format === -1 ? FORMATS.length : format });
  }
  return fitting.sort((a, b) => a.rank - b.rank)[0]?.file ?? null;
}

/** Which model a projector's name speaks of: its words, but for those that say nothing, begin the model's too. */
export function namingOf(file: string, base: string): 'this' | 'other' | 'any' {
  const saying = (name: string) => wordsOf(name).filter((word) => !EMPTY_WORD.test(word));
  const words = saying(withoutFormat(stem(path.basename(file))));
  if (words.length === 0) return 'any';
  const ofModel = saying(base);
  return words.every((word, i) => ofModel[i] === word) ? 'this' : 'other';
}

/** Such as "Qwen3-4B" of "Qwen3-4B-Q4_K_M". */
export function withoutFormat(name: string): string {
  return name.replace(/[-_.](i?q\d|tq\d|mxfp\d|bf16|fp?16|fp?32)\w*$/i, '');
}

function wordsOf(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[-_.]+/)
    .filter((word) => word !== '');
}
