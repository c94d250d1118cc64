/** What an upstream says of its models, in answer to GET /v1/models. */
import { z } from 'zod';
import { capabilitySchema, type ModelEntry, modelSourceSchema } from '../../protocol/models.js';
import { PRINTABLE } from '../printable.js';

/** Most models that are taken from one upstream: the largest services list some hundreds. */
const MODELS_MAX = 2_000;

const positive = z.number().int().positive();
const orUndefined = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().catch(undefined);

/** Every server gives ids; what else there is, is ours, vLLM's (max_model_len) or llama-server's (meta). */
const entrySchema = z.object({
  id: z.string().min(1).max(500).regex(PRINTABLE),
  created: orUndefined(z.number().int().min(0).max(8_640_000_000_000)),
  name: orUndefined(z.string().min(1).max(500).regex(PRINTABLE)),
  kind: orUndefined(z.enum(['generative', 'embedding', 'rerank'])),
  source: orUndefined(modelSourceSchema),
  status: orUndefined(z.string()),
  context_length: orUndefined(positive),
  max_model_len: orUndefined(positive),
  architecture: orUndefined(z.string().max(100)),
  parameters: orUndefined(positive),
  quantization: orUndefined(z.string().max(100)),
  license: orUndefined(z.string().max(100)),
  size_bytes: orUndefined(positive),
  trained_context_length: orUndefined(positive),
  capabilities: orUndefined(z.array(capabilitySchema)),
  meta: orUndefined(
    z.object({
      n_ctx_train: orUndefined(positive),
      n_params: orUndefined(positive),
      size: orUndefined(positive),
    }),
  ),
});

const listSchema = z.object({ data: z.array(z.unknown()) });

/** What is told of a model beside its id. */
export type RemoteModel = Pick<
  ModelEntry,
  | 'id'
  | 'created'
  | 'name'
  | 'kind'
  | 'size_bytes'
  | 'context_length'
  | 'architecture'
  | 'parameters'
  | 'quantization'
  | 'license'
  | 'trained_context_length'
  | 'capabilities'
> & {
  /** It is an upstream's model there too. */
  isPassedOn: boolean;
};

/** Of which nothing but its id is known. */
export function bareModel(id: string): RemoteModel {
  return {
    ...{ id, name: id, created: 0, kind: 'generative', size_bytes: 0, context_length: null },
    ...{ architecture: '', parameters: null, quantization: null, license: null },
    ...{ trained_context_length: null, capabilities: ['chat'], isPassedOn: false },
  };
}

/** Null: it is no list of models. Entries that make no sense, and files that cannot be models there, are left out. */
export function parseModelList(text: string): RemoteModel[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const list = listSchema.safeParse(value);
  if (!list.success) return null;
  const models = new Map<string, RemoteModel>();
  for (const each of list.data.data) {
    const entry = entrySchema.safeParse(each);
    if (!entry.success || entry.data.status === 'invalid') continue;
    if (!models.has(entry.data.id)) models.set(entry.data.id, remoteModel(entry.data));
    if (models.size === MODELS_MAX) break;
  }
  return [...models.values()];
}

const CAPABILITIES = {
  generative: ['chat'],
  embedding: ['embeddings'],
  rerank: ['rerank'],
} as const;

function remoteModel(entry: z.infer<typeof entrySchema>): RemoteModel {
  const { id, meta, kind = 'generative' } = entry;
  return {
    ...{ id, kind },
    name: entry.name ?? id,
    created: entry.created ?? 0,
    size_bytes: entry.size_bytes ?? meta?.size ?? 0,
    context_length: entry.context_length ?? entry.max_model_len ?? null,
    architecture: entry.architecture ?? '',
    parameters: entry.parameters ?? meta?.n_params ?? null,
    quantization: entry.quantization ?? null,
    license: entry.license ?? null,
    trained_context_length: entry.trained_context_length ?? meta?.n_ctx_train ?? null,
    capabilities: entry.capabilities ?? [...CAPABILITIES[kind]],
    isPassedOn: entry.source === 'upstream',
  };
}
