/** What the tests need to know of the server before they begin. */
import { z } from 'zod';
import type { Api } from '../api.js';
import { jsonOf } from '../event-data.js';
import { Fault, type LiveServer } from './live-server.js';

const healthSchema = z.object({ name: z.string(), model: z.string().nullish() });
const modelsSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      kind: z.string().optional(),
      status: z.string().optional(),
      size_bytes: z.number().optional(),
      capabilities: z.array(z.string()).optional(),
    }),
  ),
});
type Listed = z.infer<typeof modelsSchema>['data'][number];

export interface Subject {
  live: LiveServer;
  api: Api;
  /** That is asked; null: there is none. */
  model: string | null;
  /** It says that it can call tools; null: it does not say what it can. */
  hasTools: boolean | null;
  /** One that makes embeddings; null: there is none. */
  embedding: string | null;
  /** Whose web pages may use the server, as its settings say; null: not known here. */
  origins: readonly string[] | null;
}

/** @throws Fault where nobody answers at all. */
export async function studySubject(
  live: LiveServer,
  wanted: string | null,
  origins: readonly string[] | null,
): Promise<Subject> {
  const health = healthSchema.safeParse(jsonOf((await live.ask(live.outside('/health'))).text));
  const list = await live.ask(`${live.api.base}/models`).catch((error: unknown) => {
    if (error instanceof Fault) return null;
    throw error;
  });
  const models = modelsSchema.safeParse(jsonOf(list?.text ?? ''));
  const all: Listed[] = models.success ? models.data.data : [];
  const current = wanted ?? (health.success ? (health.data.model ?? null) : (all[0]?.id ?? null));
  const tools = all.find(({ id }) => id === current)?.capabilities?.includes('tools') ?? null;
  return {
    ...{ live, api: live.api, model: current, hasTools: tools, origins },
    embedding: embeddingOf(all),
  };
}

/** One in memory rather than one that has to be loaded, and then the smallest. */
function embeddingOf(models: readonly Listed[]): string | null {
  const usable = models
    .filter(({ kind, status }) => kind === 'embedding' && status !== 'invalid')
    .sort((a, b) => (a.size_bytes ?? 0) - (b.size_bytes ?? 0));
  return (usable.find(({ status }) => status === 'loaded') ?? usable[0])?.id ?? null;
}
