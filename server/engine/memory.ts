import { totalmem } from 'node:os';

/** Left to everything else on the machine, bytes. */
const RESERVE = 512 * 1024 * 1024;

/** Share of the memory that models may take where the system does not tell what is free (macOS compresses and reclaims). */
const TOTAL_SHARE = 0.7;

/**
 * Bytes of main memory that one more model with its KV cache may take now; honours a container's limit.
 * @param taken By loaded models. Their weights are mapped from files, and the system calls those pages free.
 */
export function memoryForModel(taken: number): number {
  const limit = process.constrainedMemory();
  const total = limit > 0 ? Math.min(totalmem(), limit) : totalmem();
  const free =
    process.platform === 'darwin'
      ? total * TOTAL_SHARE - taken
      : Math.min(process.availableMemory(), total - taken);
  return Math.max(RESERVE, free - RESERVE);
}
