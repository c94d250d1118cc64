import { totalmem } from 'node:os';

/** Left to everything else on the machine, bytes. */
const RESERVE = 512 * 1024 * 1024;

/** Share of the memory that a model may take where the system does not tell what is free (macOS compresses and reclaims). */
const TOTAL_SHARE = 0.7;

/** Bytes that a model with its KV cache may take now; honours a container's limit. */
export function memoryForModel(): number {
  const free = process.platform === 'darwin' ? totalmem() * TOTAL_SHARE : process.availableMemory();
  return Math.max(RESERVE, free - RESERVE);
}
