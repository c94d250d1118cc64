/** What the names of a repo's files say: which are models, which belong together, which projector goes with them. Pure. */
import { parseGGUFQuantLabel } from '@huggingface/gguf';
import type { HubFile, HubVariant } from '../../protocol/hub.js';
import { groupFiles } from '../library/names.js';

type Variant = Omit<HubVariant, 'installed_as' | 'fit'>;

/** Longest path of a file that is looked at, and of each part of it. */
const MAX_PATH = 500;
const MAX_PART = 200;

const PROJECTOR = /(^|[-_.])mmproj([-_.]|$)/i;
/** GGUF files that no model can be: statistics, bare vocabularies, and what is added to a model. */
const NO_MODEL =
  /(^|[-_.])(imatrix|control-?vectors?|cvector|adapter)([-_.]|$)|^ggml-vocab-|(^|[-_.])lora[-_.]?(f16|f32|bf16|q8_0)?$/i;

/** Of projectors; those not named come last. They are small, and f16 is what every backend computes well. */
const PROJECTOR_TYPES = ['F16', 'BF16', 'Q8_0', 'F32'];

/** A path from a stranger that may become a path here: names only, none of them hidden or going up. */
export function isPlainPath(path: string): boolean {
  if (path.length > MAX_PATH) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be in it
  if (/[\u0000-\u001f\u007f\\:*?"<>|]/.test(path)) return false;
  return path.split('/').every((part) => /^[^.\s]/.test(part) && part.length <= MAX_PART);
}

/** Smallest first. Split models of which a part is missing are left out, and so is all that is no model. */
export function variantsOf(files: readonly HubFile[]): Variant[] {
  const byPath = new Map(
    files
      .filter(({ path }) => /\.gguf$/i.test(path) && isPlainPath(path))
      .map((file) => [file.path, file]),
  );
  const paths = [...byPath.keys()];
  const projectors = paths.filter((path) => PROJECTOR.test(stemOf(path)));
  const models = paths.filter(
    (path) => !PROJECTOR.test(stemOf(path)) && !NO_MODEL.test(stemOf(path)),
  );
  const groups = groupFiles(models).filter(({ missingParts }) => missingParts.length === 0);
  const bases = groups.map(({ base }) => base);
  return groups
    .map(({ base, paths: parts }) => {
      const [first = ''] = parts;
      const folder = first.split('/').slice(0, -1).join('/');
      const isUnique = bases.indexOf(base) === bases.lastIndexOf(base);
      const projector = projectorFor(first, base, projectors);
      const all = [...parts, ...(projector === null ? [] : [projector])];
      const found = all.flatMap((path) => byPath.get(path) ?? []);
      return {
        name: isUnique || folder === '' ? base : `${folder}/${base}`,
        quantization: quantizationOf(base) ?? quantizationOf(folder),
        files: found,
        size_bytes: found.reduce((bytes, { size_bytes }) => bytes + size_bytes, 0),
      };
    })
    .sort((a, b) => a.size_bytes - b.size_bytes || (a.name < b.name ? -1 : 1));
}

/** Such as "Q4_K_M"; null where the name has none. */
function quantizationOf(name: string): string | null {
  return parseGGUFQuantLabel(name) ?? null;
}

/** The one whose name has most in common with the model's, of a kind that every backend computes well. */
function projectorFor(model: string, base: string, projectors: readonly string[]): string | null {
  const folder = model.slice(0, model.lastIndexOf('/') + 1);
  const words = new Set(wordsOf(base));
  const ranked = projectors
    .filter((path) => !path.includes('/') || path.startsWith(folder))
    .map((path) => {
      const name = stemOf(path);
      const type = PROJECTOR_TYPES.indexOf(quantizationOf(name) ?? '');
      return {
        path,
        shared: wordsOf(name).filter((word) => words.has(word)).length,
        type: type === -1 ? PROJECTOR_TYPES.length : type,
      };
    })
    .sort((a, b) => b.shared - a.shared || a.type - b.type || (a.path < b.path ? -1 : 1));
  return ranked[0]?.path ?? null;
}

/** Without what says how the weights are kept. */
function wordsOf(name: string): string[] {
  const label = parseGGUFQuantLabel(name);
  const bare = label === undefined ? name : name.toUpperCase().replace(label, '');
  return bare
    .toLowerCase()
    .split(/[-_.\s]+/)
    .filter((word) => word !== '' && word !== 'mmproj' && word !== 'model');
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.gguf$/i, '');
}
