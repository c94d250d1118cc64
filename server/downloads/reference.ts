/** Names of models on the hub as people and Ollama's clients write them. Pure. */
import type { Choice } from './choice.js';
import { isRepoName } from './targets.js';

export interface Reference extends Choice {
  /** "owner/name". */
  repo: string;
}

/** Hosts that mean the hub, whichever mirror is asked in the end. */
const HOST = /^(https?:\/\/)?((www\.)?hf\.co|(www\.)?huggingface\.co)\//i;

/** The tag that clients add where a name has none. */
const LATEST = 'latest';

/**
 * "owner/name", with ":Q4_K_M" or the name of a file behind it for a quantization, and with the hub's host before it or
 * not; null for all else.
 */
export function parseReference(text: string): Reference | null {
  const bare = text.trim().replace(HOST, '').replace(/\/+$/, '');
  const [, repo = '', tag] = /^([^:]*)(?::(.*))?$/.exec(bare) ?? [];
  if (!isRepoName(repo)) return null;
  if (tag === undefined || tag.toLowerCase() === LATEST) return { repo };
  const quantization = tag.replace(/\.gguf$/i, '');
  return quantization === '' ? null : { repo, quantization };
}
