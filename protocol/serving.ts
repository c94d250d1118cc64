/** Where the server is and who may use it, as the developer page shows it: its address, API keys and log. */
import { z } from 'zod';

/** Settings that the command line of this start says, which go before those that are kept. */
export const GIVEN_AT_START = ['host', 'port', 'allowed_hosts', 'allowed_origins', 'keys'] as const;

/** GET /pilotlight/server */
export const servingSchema = z.object({
  host: z.string().describe('Address that it listens at, such as "127.0.0.1".'),
  port: z.number().int(),
  urls: z
    .array(z.string())
    .describe('Where it is reached; by other machines first, by this machine last.'),
  network: z.boolean().describe('Other machines can reach it.'),
  keys_needed: z.boolean().describe('Programs are asked for a key.'),
  given: z
    .array(z.enum(GIVEN_AT_START))
    .describe('What was said at the start, which goes before the settings.'),
  start_hosts: z.array(z.string()).describe('Allowed by the start, besides those of the settings.'),
  start_origins: z.array(z.string()),
  start_keys: z.number().int().min(0).describe('Keys of the start, which have no names.'),
  log_file: z.string().nullable().describe('Absolute path; null: it cannot be written.'),
});
export type ServingInfo = z.infer<typeof servingSchema>;

export const apiKeySchema = z.object({
  name: z.string(),
  created: z.iso.datetime(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** GET /pilotlight/keys */
export const apiKeyListSchema = z.object({ keys: z.array(apiKeySchema) });

/** POST /pilotlight/keys */
export const newApiKeySchema = z.strictObject({ name: z.string().min(1).max(64) });
export const madeApiKeySchema = apiKeySchema.extend({
  key: z.string().describe('Told this once: only its hash is kept.'),
});
export type MadeApiKey = z.infer<typeof madeApiKeySchema>;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** A line of the log. */
export const logLineSchema = z.object({
  n: z.number().int().min(1).describe('Counts up; a gap is lines that were not sent.'),
  time: z.string().describe('As ISO 8601.'),
  level: z.enum(LOG_LEVELS),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()).describe('All else that the line says.'),
});
export type LogLine = z.infer<typeof logLineSchema>;

/** GET /pilotlight/log/events: the latest lines at once, then new ones. */
export const logEventSchema = z.object({ lines: z.array(logLineSchema) });
