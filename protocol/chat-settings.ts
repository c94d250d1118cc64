/** How a chat asks its model. */
import { z } from 'zod';
import { samplingDefaultsSchema } from './sampling-defaults.js';

/** What a chat asks of the model in its own way; null: as the model's settings and its file have it. */
export const chatSettingsSchema = z.strictObject({
  model: z.string().min(1).nullable().describe('Null: the current model.'),
  system_prompt: z.string().max(1_000_000).nullable(),
  preset_id: z.string().min(1).max(64).nullable().describe('Of which the system prompt was taken.'),
  sampling: samplingDefaultsSchema,
  seed: z.number().int().min(0).max(4_294_967_294).nullable(),
  response_schema: z
    .string()
    .max(100_000)
    .nullable()
    .describe('JSON Schema as JSON text that every answer must fit.'),
  thinking: z
    .boolean()
    .nullable()
    .describe('False: an answer without reasoning, where the model can.'),
  tools: z
    .array(z.string())
    .nullable()
    .describe('Ids of the MCP servers whose tools may be called; null: all that are switched on.'),
  max_tool_steps: z.number().int().min(1).max(100).nullable().describe('Null: 10.'),
});
export type ChatSettings = z.infer<typeof chatSettingsSchema>;

/** All is as the model has it. */
export const NO_CHAT_SETTINGS: ChatSettings = {
  model: null,
  system_prompt: null,
  preset_id: null,
  sampling: {},
  seed: null,
  response_schema: null,
  thinking: null,
  tools: null,
  max_tool_steps: null,
};
