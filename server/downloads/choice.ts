/** Which variant of a repo is meant. Pure. */
import type { HubVariant } from '../../protocol/hub.js';
import { DownloadFailure } from './failure.js';

/** Where it is in the library, and whether it fits, is told elsewhere. */
export type Variant = Omit<HubVariant, 'installed_as' | 'fit'>;

export interface Choice {
  /** As HubVariant.name. */
  name?: string | undefined;
  /** Such as "Q4_K_M", in any case. */
  quantization?: string | undefined;
}

/** Small, and close to the original in what it writes: what most people take. */
export const USUAL = 'Q4_K_M';

/** Memory that a model takes besides its weights, as a factor. */
const MEMORY_FACTOR = 1.2;

/** Variants that are named where none is as wanted. */
const NAMED = 20;

/**
 * With neither name nor quantization the usual one, else the largest that this machine has memory for, else the smallest.
 * @param memory Bytes that a model may take.
 * @throws DownloadFailure
 */
export function choose(
  repo: string,
  variants: readonly Variant[],
  { name, quantization }: Choice,
  memory: number,
): Variant {
  if (variants.length === 0) {
    throw new DownloadFailure('not_found', `${repo} has no GGUF files on the hub.`);
  }
  const bySize = [...variants].sort((a, b) => a.size_bytes - b.size_bytes);
  if (name !== undefined) {
    const found = bySize.find((variant) => variant.name === name);
    if (found === undefined) throw noSuch(repo, name, bySize);
    return found;
  }
  const of = (wanted: string) =>
    bySize.find(({ quantization: has }) => has?.toLowerCase() === wanted.toLowerCase());
  if (quantization !== undefined) {
    const found = of(quantization) ?? bySize.find((variant) => isMeant(variant, quantization));
    if (found === undefined) throw noSuch(repo, quantization, bySize);
    return found;
  }
  const fitting = bySize.filter((variant) => fits(variant, memory));
  const usual = of(USUAL);
  const best = usual !== undefined && fits(usual, memory) ? usual : fitting.at(-1);
  return best ?? usual ?? (bySize[0] as Variant);
}

const fits = ({ size_bytes }: Variant, memory: number): boolean =>
  size_bytes * MEMORY_FACTOR <= memory;

/** People name the quantization, or what stands at the end of the file's name. */
export function isMeant(
  { name, quantization }: Pick<Variant, 'name' | 'quantization'>,
  wanted: string,
): boolean {
  const [whole, end] = [name.toLowerCase(), wanted.toLowerCase()];
  const isNamed = whole === end || whole.endsWith(`-${end}`) || whole.endsWith(`.${end}`);
  return quantization?.toLowerCase() === end || isNamed;
}

function noSuch(repo: string, wanted: string, variants: readonly Variant[]): DownloadFailure {
  const names = [...new Set(variants.map(({ quantization, name }) => quantization ?? name))];
  const shown = names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '');
  return new DownloadFailure(
    'not_found',
    `${repo} has no ${JSON.stringify(wanted.slice(0, 100))}. There are: ${shown}.`,
  );
}
