/** Log probabilities of a prompt as JSON text. Pure. */
import type { PromptLogprobsEvent } from '../../protocol/engine.js';
import { wireLogprobValue } from '../openai/wire-values.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Writes them as they come, in pieces: a whole answer can be as long as all the engine tells in one (some 80 MB), and
 * making that at its end would hold up everybody else. By hand, because the prompt's own token comes first in its map,
 * by which clients find it, and an object would sort its ids.
 */
export class PromptLogprobsText {
  readonly #parts: string[] = ['[null'];
  /** The JSON texts of token ids, as they are told once. */
  readonly #names = new Map<number, string>();

  push(event: PromptLogprobsEvent): void {
    this.#name(event);
    const { entries, tokenIds, logprobs, ranks } = event;
    let text = '';
    let at = 0;
    for (const count of entries) {
      text += ',{';
      for (const end = at + count; at < end; at++) {
        const id = tokenIds[at] ?? 0;
        const logprob = wireLogprobValue(logprobs[at] ?? Number.NEGATIVE_INFINITY);
        text += `"${id}":{"logprob":${logprob},"rank":${ranks[at]},"decoded_token":${this.#names.get(id)}}`;
        if (at + 1 < end) text += ',';
      }
      text += '}';
    }
    this.#parts.push(text);
  }

  /** A list: null for the first token of the prompt, then a map for each other one. */
  parts(): string[] {
    return [...this.#parts, ']'];
  }

  #name({ namedIds, byteLengths, bytes }: PromptLogprobsEvent): void {
    let at = 0;
    for (const [i, id] of namedIds.entries()) {
      const end = at + (byteLengths[i] ?? 0);
      this.#names.set(id, JSON.stringify(decoder.decode(bytes.subarray(at, end))));
      at = end;
    }
  }
}
