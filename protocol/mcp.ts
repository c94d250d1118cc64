/** Tool servers of the Model Context Protocol, as the person has set them up, and what each offers. */
import { z } from 'zod';

/** Stands for a secret that is kept, in what is told; in what is sent it means: as it is. */
export const MCP_SECRET = '•••';

/** Characters. */
export const MCP_NAME_MAX = 64;

const name = z.string().min(1).max(MCP_NAME_MAX);
const secrets = z.record(z.string().min(1), z.string()).optional();

/** A program to start, which speaks over its input and output. */
export const mcpProgramSchema = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: secrets.describe('Besides a few of our own, such as PATH.'),
  cwd: z.string().min(1).optional().describe("Absolute; left out: the person's folder."),
});
export type McpProgram = z.infer<typeof mcpProgramSchema>;

/** An address that speaks over HTTP. */
export const mcpAddressSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: secrets,
  type: z
    .enum(['http', 'sse'])
    .optional()
    .describe('`sse`: the older transport. Left out: whichever it speaks.'),
});
export type McpAddress = z.infer<typeof mcpAddressSchema>;

/** What other apps write under "mcpServers". */
export const mcpServerConfigSchema = z.union([mcpProgramSchema, mcpAddressSchema]);
export type McpServerConfig = z.infer<typeof mcpServerConfigSchema>;

/** `ask`: before each call; `always`: never asked; `never`: the model does not see it. */
export const toolConsentSchema = z.enum(['ask', 'always', 'never']);
export type ToolConsent = z.infer<typeof toolConsentSchema>;

/** Why a tool server does not run. */
export const mcpProblemSchema = z.object({
  code: z.enum([
    'not_found',
    'not_permitted',
    'no_folder',
    'exited',
    'refused',
    'unreachable',
    'unauthorized',
    'status',
    'timeout',
    'too_much',
    'protocol',
    'secrets',
  ]),
  message: z.string().describe('A sentence for people.'),
  detail: z
    .string()
    .nullable()
    .describe('What the sentence is about, such as the program, the address or its last line.'),
});
export type McpProblem = z.infer<typeof mcpProblemSchema>;

export const mcpToolSchema = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().describe("A stranger's words: text only."),
  input_schema: z.record(z.string(), z.unknown()),
  read_only: z.boolean().describe('By its own word.'),
  consent: toolConsentSchema,
  unusable: z
    .string()
    .nullable()
    .describe('A sentence why no model can be told of it, such as for its schema.'),
});
export type McpTool = z.infer<typeof mcpToolSchema>;

export const mcpServerSchema = z.object({
  id: name.describe('Its name in the configuration.'),
  enabled: z.boolean(),
  config: mcpServerConfigSchema.describe('Values of env and headers are told as "•••".'),
  status: z.enum(['off', 'starting', 'ready', 'failed']),
  problem: mcpProblemSchema.nullable(),
  retry_at: z
    .number()
    .int()
    .nullable()
    .describe('Unix milliseconds when it is tried again by itself.'),
  log: z.array(z.string()).describe('The last lines that it wrote to its error output.'),
  tools: z.array(mcpToolSchema).describe('As it told them last.'),
});
export type McpServer = z.infer<typeof mcpServerSchema>;

/** GET /pilotlight/mcp/servers, and what each change of them answers. */
export const mcpServerListSchema = z.object({ servers: z.array(mcpServerSchema) });

/**
 * PUT /pilotlight/mcp/servers: adds or replaces the ones named. New ones are off; one that would start another program
 * or go to another address is switched off, and asks again before its tools are called.
 */
export const mcpConfigSchema = z.strictObject({
  mcpServers: z.record(name, mcpServerConfigSchema),
});

/** PATCH /pilotlight/mcp/servers/{id}. */
export const mcpServerPatchSchema = z.strictObject({
  enabled: z.boolean().optional(),
  consent: z.record(z.string(), toolConsentSchema).optional().describe('By tool.'),
});
export type McpServerPatch = z.infer<typeof mcpServerPatchSchema>;

/** POST /pilotlight/mcp/check: reads what was pasted from another app, and changes nothing. */
export const mcpTextSchema = z.strictObject({ text: z.string().max(1_000_000) });

export const mcpCheckSchema = z.object({
  problem: z
    .enum(['not_json', 'no_servers'])
    .nullable()
    .describe('Of the whole text, where nothing can be taken of it.'),
  entries: z.array(
    z.object({
      name: z.string(),
      config: mcpServerConfigSchema.nullable().describe('Null: it cannot be used.'),
      problem: z
        .enum([
          'name',
          'not_object',
          'no_command',
          'command',
          'args',
          'env',
          'cwd',
          'url',
          'headers',
          'placeholder',
        ])
        .nullable(),
      detail: z.string().nullable().describe('The part at fault.'),
      replaces: z.boolean().describe('There is one of this name.'),
    }),
  ),
});
export type McpCheck = z.infer<typeof mcpCheckSchema>;
export type McpEntry = McpCheck['entries'][number];

/** POST /pilotlight/chats/{id}/messages/{message}/tools/{call}: the person's word on a call that waits for it. */
export const toolDecisionSchema = z.strictObject({
  decision: z
    .enum(['once', 'chat', 'always', 'refuse'])
    .describe('`chat`: also further calls of this tool in this chat.'),
});
export type ToolDecision = z.infer<typeof toolDecisionSchema>;
