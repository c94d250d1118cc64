import type { HubVariant } from '../../protocol/hub.js';

/** The quantisation that most people should take: little is lost, much is saved. */
const USUAL = 'Q4_K_M';

/** As the server chooses where nobody does: the usual one where it fits, else the largest that does. */
export function recommendedVariant(variants: readonly HubVariant[]): HubVariant | null {
  const usual = variants.find(({ quantization }) => quantization === USUAL);
  if (usual && (usual.fit === null || usual.fit.verdict === 'fits')) return usual;
  const largest = (verdict: 'fits' | 'partly') =>
    variants
      .filter(({ fit }) => fit?.verdict === verdict)
      .reduce<HubVariant | null>(
        (best, variant) => (best && best.size_bytes >= variant.size_bytes ? best : variant),
        null,
      );
  return largest('fits') ?? largest('partly') ?? null;
}

/** Whose verdict is asked for next: the chosen one's, the recommended one's, then those of the smallest. */
export function nextToCheck(
  variants: readonly HubVariant[],
  chosen: string | null,
  failed: ReadonlySet<string>,
): string | null {
  const open = variants.filter(({ name, fit }) => fit === null && !failed.has(name));
  const first =
    open.find(({ name }) => name === chosen) ??
    open.find(({ name }) => name === recommendedVariant(variants)?.name) ??
    open[0];
  return first?.name ?? null;
}

const CONTEXT_MIN = 2048;
/** What most chats do with. */
const CONTEXT_USUAL = 8192;
/** For a model that says nothing about itself. */
const CONTEXT_MAX_UNKNOWN = 32_768;

/** Contexts to choose from, in tokens: doubling, up to what the model was trained for. */
export function contextSteps(trained: number | null): number[] {
  const max = trained ?? CONTEXT_MAX_UNKNOWN;
  const steps: number[] = [];
  for (let step = CONTEXT_MIN; step < max; step *= 2) steps.push(step);
  steps.push(max);
  return steps;
}

/** The context of which the first verdict tells. */
export function usualContext(trained: number): number {
  return Math.min(CONTEXT_USUAL, trained);
}
