/** What settings.json holds, and what stands in for values of it that are damaged. Pure. */
import { z } from 'zod';
import {
  foreignSourcesSchema,
  type ModelSettings,
  modelSettingsSchema,
  type ServerSettings,
  settingsSchema,
} from '../../protocol/settings.js';
import { upstreamSettingsSchema } from '../../protocol/upstreams.js';

const storedUpstreamSchema = upstreamSettingsSchema.extend({
  id: z.string().min(1),
  /** Ids that it listed last, so that they are known before it has been asked again. */
  listed: z.array(z.string()).optional(),
});
/** Its key is a secret, and not among the settings. */
export type StoredUpstream = z.infer<typeof storedUpstreamSchema>;

export interface StoredSettings {
  /** Id of the model that was current last. */
  currentModel: string | null;
  server: ServerSettings;
  /** By id of the model, also of those that are not there at the moment. */
  models: ReadonlyMap<string, ModelSettings>;
  /** In the order in which they are tried. */
  upstreams: readonly StoredUpstream[];
  /** Unix seconds of the last request, by id of the model. */
  lastUsed: ReadonlyMap<string, number>;
}

export const SETTING_DEFAULTS: ServerSettings = {
  models_dir: null,
  folders: [],
  sources: { lm_studio: true, hugging_face: true, llama_cpp: true, ollama: true },
  memory_budget_bytes: null,
  // An hour: long enough for a break, and gigabytes are free again when the work of the day is done.
  idle_ttl: 3600,
  // Five minutes: half of what OpenAI's clients wait for an answer.
  memory_wait: 300,
  hub_endpoint: null,
  rpc_hosts: [],
};

/** The whole file. Keys that are not known here are kept: a newer version may have written them. */
export type Json = Readonly<Record<string, unknown>>;

const jsonSchema = z.record(z.string(), z.unknown());

/** Null where it is no JSON object. */
export function parseObject(text: string): Json | null {
  try {
    return jsonSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Each value by itself: a damaged one falls back to its default, and the others hold.
 * @returns `damaged`: names such as "idle_ttl" and "models.guide.ttl".
 */
export function readStored(
  file: Json,
  defaults: ServerSettings,
): { stored: StoredSettings; damaged: string[] } {
  const damaged: string[] = [];
  const { sources, ...plain } = settingsSchema.shape;
  const server = Object.fromEntries([
    ...readEach(plain, file, '', damaged),
    ['sources', { ...defaults.sources, ...readSources(file.sources, damaged) }],
  ]);
  const currentModel = z.string().min(1).nullable();
  const stored: StoredSettings = {
    currentModel: readOne(currentModel, file.currentModel, 'currentModel', damaged) ?? null,
    server: settingsSchema.parse({ ...defaults, ...server }),
    models: new Map(
      entriesOf(file.models, 'models', damaged).map(([id, value]) => [
        id,
        readModel(value, `models.${id}`, damaged),
      ]),
    ),
    upstreams:
      readOne(z.array(z.unknown()), file.upstreams, 'upstreams', damaged)?.flatMap(
        (value, i) => readOne(storedUpstreamSchema, value, `upstreams[${i}]`, damaged) ?? [],
      ) ?? [],
    lastUsed: new Map(
      entriesOf(file.last_used, 'last_used', damaged).flatMap(([id, value]) => {
        const at = readOne(z.number().int().min(0), value, `last_used.${id}`, damaged);
        return at === undefined ? [] : [[id, at]];
      }),
    ),
  };
  return { stored, damaged };
}

function readSources(value: unknown, damaged: string[]) {
  const file = Object.fromEntries(entriesOf(value, 'sources', damaged));
  return Object.fromEntries(readEach(foreignSourcesSchema.shape, file, 'sources.', damaged));
}

function readModel(value: unknown, name: string, damaged: string[]): ModelSettings {
  const file = Object.fromEntries(entriesOf(value, name, damaged));
  const { shape } = modelSettingsSchema;
  return modelSettingsSchema.parse(Object.fromEntries(readEach(shape, file, `${name}.`, damaged)));
}

/** Those that are there and as they should be. */
function readEach(
  shape: Readonly<Record<string, z.ZodType>>,
  file: Json,
  prefix: string,
  damaged: string[],
): [string, unknown][] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    const value = readOne(schema, file[key], `${prefix}${key}`, damaged);
    return value === undefined ? [] : [[key, value]];
  });
}

function entriesOf(value: unknown, name: string, damaged: string[]): [string, unknown][] {
  return Object.entries(readOne(jsonSchema, value, name, damaged) ?? {});
}

/** Undefined where there is none, or a damaged one. */
function readOne<T>(
  schema: z.ZodType<T>,
  value: unknown,
  name: string,
  damaged: string[],
): T | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) damaged.push(name);
  return parsed.data;
}
