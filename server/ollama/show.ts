/** POST /api/show: what a model's file says of it. */
import path from 'node:path';
import type { Request, Response } from 'express';
import type { ModelInfo } from '../../protocol/engine-load.js';
import { type OllamaShow, ollamaModelRequestSchema } from '../../protocol/ollama.js';
import { capabilitiesOf } from '../capabilities.js';
import { readGgufMetadata } from '../library/gguf.js';
import type { GgufValue } from '../library/gguf-values.js';
import type { LibraryModel } from '../library/model.js';
import { noteRequest } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { detailsOf, timeOf } from './details.js';
import { resolveModel } from './names.js';
import { PARAMETERS, WORDS } from './parameters.js';

const TEMPLATE = 'tokenizer.chat_template';
const SAMPLING = 'general.sampling.';

/** Names of the file's recommendations → of options. */
const OPTION_OF: Record<string, string> = {
  temp: 'temperature',
  top_k: 'top_k',
  top_p: 'top_p',
  min_p: 'min_p',
};

export function showModel(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseBody(ollamaModelRequestSchema, req.body, WORDS);
    PARAMETERS.show.refuse(request);
    const model = resolveModel(services, request.model ?? request.name ?? null);
    noteRequest(res, model, PARAMETERS.show.ignored(request));
    const read = await readGgufMetadata(model.path);
    // The file may go while it is shown.
    const metadata = 'problem' in read ? new Map<string, GgufValue>() : read;
    const text = (key: string) => {
      const value = metadata.get(key);
      return typeof value === 'string' ? value : '';
    };
    const answer: OllamaShow = {
      license: text('general.license'),
      modelfile: `FROM ${path.basename(model.path)}\n`,
      parameters: recommendations(metadata),
      template: text(TEMPLATE),
      system: '',
      details: detailsOf(model),
      messages: [],
      model_info: {
        ...Object.fromEntries([...metadata].filter(([key]) => key !== TEMPLATE)),
        'general.parameter_count': model.parameters,
      },
      capabilities: capabilities(model, services.pool.info(model)),
      modified_at: timeOf(model.created),
    };
    res.json(answer);
  };
}

/** What the file recommends, an option a line, as a Modelfile has it. */
function recommendations(metadata: ReadonlyMap<string, GgufValue>): string {
  return [...metadata]
    .flatMap(([key, value]) => {
      const option = key.startsWith(SAMPLING) ? OPTION_OF[key.slice(SAMPLING.length)] : undefined;
      return option === undefined ? [] : [`${option.padEnd(30)} ${value}`];
    })
    .join('\n');
}

/** Ollama's words. */
export function capabilities(
  model: LibraryModel,
  info: ModelInfo | null,
): OllamaShow['capabilities'] {
  if (model.kind === 'embedding') return ['embedding'];
  if (model.kind === 'rerank') return [];
  const found = capabilitiesOf(model, info);
  return [
    'completion',
    ...(found.includes('tools') ? (['tools'] as const) : []),
    ...(found.includes('reasoning') ? (['thinking'] as const) : []),
    ...(found.includes('vision') ? (['vision'] as const) : []),
  ];
}
