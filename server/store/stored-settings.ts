/** What settings.json holds, and what stands in for values of it that are damaged. Pure. */
import { z } from 'zod';
import {
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
  const { sources, preferences, ...plain } = settingsSchema.shape;
  const server = Object.fromEntries([
    ...readEach(plain, file, '', damaged),
    ['sources', { ...defaults.sources, ...readParts(sources, file, 'sources', damaged) }],
    [
      'preferences',
      { ...defaults.preferences, ...readParts(preferences, file, 'preferences', damaged) },
    ],
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

/** Of a setting that is an object. */
function readParts(schema: z.ZodObject, file: Json, name: string, damaged: string[]): Json {
  const parts = Object.fromEntries(entriesOf(file[name], name, damaged));
  return Object.fromEntries(readEach(schema.shape, parts, `${name}.`, damaged));
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
