/** Several generations as one, such as one for each prompt of a request. */
import type { EngineEvent } from '../../protocol/engine.js';
import type { Generation } from './generation.js';

/**
 * @param generations At least one.
 * @param choices Of each of them; those of the second follow those of the first, and so on.
 * @returns accepted once all are, with the sum of their prompts; ends after the end of all, or after an error.
 */
export function mergeGenerations(generations: readonly Generation[], choices: number): Generation {
  const [first] = generations;
  if (generations.length === 1 && first) return first;
  const accepted = Promise.all(generations.map((generation) => generation.accepted)).then(
    (prompts) => ({ promptTokens: prompts.reduce((sum, prompt) => sum + prompt.promptTokens, 0) }),
  );
  accepted.catch(() => {});
  return {
    accepted,
    progress: () => first?.progress() ?? null,
    events: { [Symbol.asyncIterator]: () => read(generations, choices) },
  };
}

/** Asks each one for its next batch only when the last one has been taken, so that each keeps its own backpressure. */
async function* read(
  generations: readonly Generation[],
  choices: number,
): AsyncGenerator<EngineEvent[]> {
  interface Next {
    index: number;
    result: IteratorResult<EngineEvent[]>;
  }
  const iterators = generations.map((generation) => generation.events[Symbol.asyncIterator]());
  const ask = async (index: number): Promise<Next> => {
    const iterator = iterators[index];
    if (!iterator) throw new RangeError(`there is no generation ${index}`);
    return { index, result: await iterator.next() };
  };
  const pending = new Map(iterators.map((_, index) => [index, ask(index)]));
  while (pending.size > 0) {
    const { index, result } = await Promise.race(pending.values());
    if (result.done) {
      pending.delete(index);
      continue;
    }
    yield result.value.map((event) => ({ ...event, seq: event.seq + index * choices }));
    if (result.value.some(({ type }) => type === 'error')) return;
    pending.set(index, ask(index));
  }
}
