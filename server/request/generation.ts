/** How a dialect's request is handed to a model. */
import type { Response } from 'express';
import { exchangeOf } from '../exchange/exchanges.js';
import type { Generation, GenerationInput } from '../generation/generation.js';
import { mergeGenerations } from '../generation/merge.js';
import type { LibraryModel } from '../library/model.js';
import type { Services } from '../services.js';
import { type OpenInput, withDefaults } from './defaults.js';
import { refuseUnseen, withPlace } from './images.js';
import { noteRequest } from './parameters.js';
import { NO_WISHES, noteUnmet, type Wishes, wishRest } from './wishes.js';

interface Opened {
  generation: Generation;
  /** Aborts when the client has left: there is nobody to answer. */
  gone: AbortSignal;
}

/** With what it leaves open, or whole. */
type RequestInput = OpenInput | GenerationInput;

/** @param ignored Names of the request's fields that nobody knows. */
export function openGeneration(
  services: Services,
  res: Response,
  model: LibraryModel,
  input: RequestInput,
  ignored: readonly string[],
  wishes: Wishes = NO_WISHES,
): Opened {
  return openGenerations(services, res, model, [input], ignored, wishes);
}

/** Several prompts at the same time; their choices follow each other. Where one is refused or fails all end. */
export function openGenerations(
  { pool, settings }: Services,
  res: Response,
  model: LibraryModel,
  requested: readonly RequestInput[],
  ignored: readonly string[],
  wishes: Wishes = NO_WISHES,
): Opened {
  const exchange = exchangeOf(res);
  const own = settings.modelSettings(model.id);
  const inputs = requested.map((input) =>
    'fallbackTokens' in input ? withDefaults(input, own) : input,
  );
  for (const { prompt } of inputs) refuseUnseen(model, prompt);
  noteRequest(res, model, ignored, inputs);
  const choices = inputs[0]?.choices ?? 1;
  const asked = exchange.showsPrompt
    ? inputs.map((input) => ({ ...input, showPrompt: true }))
    : inputs;
  const generation = mergeGenerations(
    asked.map((input, i) =>
      placed(pool.generate(model, input, exchange.over, exchange.follow(i * choices)), input),
    ),
    choices,
  );
  wishRest(pool, model, exchange.body(), wishes);
  // Before whoever waits for it sends the headers; it may also be refused before anyone waits.
  generation.accepted.then(
    () => noteUnmet(res, wishes, pool.info(model)),
    () => {},
  );
  return { generation, gone: exchange.gone };
}

/** Whose refusal names the place of the image that it concerns. */
function placed(generation: Generation, { prompt }: GenerationInput): Generation {
  const accepted = generation.accepted.catch((error: unknown) => {
    throw withPlace(error, prompt);
  });
  return { accepted, progress: () => generation.progress(), events: generation.events };
}
