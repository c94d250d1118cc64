/** `pilotlight load`, `unload` and `ps`: the models that the running server has in memory. */
import { formatBytes } from '../protocol/bytes.js';
import { loadEventSchema } from '../protocol/model-control.js';
import { type ModelEntry, modelEntrySchema, modelListSchema } from '../protocol/models.js';
import { errorBodySchema } from '../protocol/openai.js';
import { columns } from './columns.js';
import { printable } from './local-library.js';
import { askServer, eventsOf, fail, type ServerOptions } from './running-server.js';

export interface LoadOptions extends ServerOptions {
  ctx?: number;
  parallel?: number;
  gpuLayers?: number;
  ttl?: number;
  pin?: boolean;
}

export async function load(id: string, options: LoadOptions): Promise<void> {
  const { ctx, parallel, gpuLayers, ttl, pin } = options;
  const settings = {
    ...(ctx === undefined ? {} : { context_length: ctx }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(gpuLayers === undefined ? {} : { gpu_layers: gpuLayers }),
  };
  const response = await askServer(options, `/v1/models/${encodeURIComponent(id)}/load`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
      ...(ttl === undefined ? {} : { ttl }),
      ...(pin === undefined ? {} : { pin }),
    }),
  });
  const line = new StatusLine();
  for await (const data of eventsOf(response)) {
    const failure = errorBodySchema.safeParse(data);
    const event = loadEventSchema.safeParse(data);
    if (failure.success || !event.success) {
      line.clear();
      fail(failure.data?.error.message ?? 'The server said what is not understood here.');
    }
    if (event.data.type === 'loaded') {
      line.clear();
      console.log(summary(event.data.model));
      return;
    }
    const { progress, reason } = event.data;
    line.show(reason ?? `loading ${Math.floor((progress ?? 0) * 100)} %`);
  }
  line.clear();
  fail('The server has ended before the model was loaded.');
}

export async function unload(id: string, options: ServerOptions): Promise<void> {
  const route = `/v1/models/${encodeURIComponent(id)}/unload`;
  const response = await askServer(options, route, { method: 'POST' });
  const entry = modelEntrySchema.parse(await response.json());
  console.log(printable(`${entry.id} is in memory no more.`));
}

const HEAD = ['ID', 'STATUS', 'MEMORY', 'CONTEXT', 'RUNNING', 'WAITING', 'ON'];

export interface PsOptions extends ServerOptions {
  json?: boolean;
}

export async function ps(options: PsOptions): Promise<void> {
  const response = await askServer(options, '/v1/models');
  const { data } = modelListSchema.parse(await response.json());
  const there = data.filter(({ status, source }) => source !== 'upstream' && isThere(status));
  if (options.json) {
    console.log(JSON.stringify(there, null, 2));
    return;
  }
  if (there.length === 0) {
    console.error('No model is in memory. A request loads the one it names, and so does "load".');
    return;
  }
  const rows = there.map((entry) => [
    printable(entry.id),
    statusOf(entry),
    entry.memory_bytes === null ? '-' : formatBytes(entry.memory_bytes),
    entry.context_length?.toString() ?? '-',
    ...[entry.running.toString(), entry.waiting.toString()],
    printable(entry.devices?.join(', ') ?? '-'),
  ]);
  console.log(columns([HEAD, ...rows]));
}

function isThere(status: ModelEntry['status']): boolean {
  return status === 'loaded' || status === 'loading' || status === 'unloading';
}

function statusOf({ status, progress, pinned }: ModelEntry): string {
  const text = progress === null ? status : `${status} ${Math.floor(progress * 100)} %`;
  return pinned ? `${text}, pinned` : text;
}

function summary({ id, memory_bytes, context_length, devices }: ModelEntry): string {
  const memory = memory_bytes === null ? '' : ` in ${formatBytes(memory_bytes)}`;
  const context = context_length === null ? '' : `, with ${context_length} tokens of context`;
  return printable(`${id} is loaded${memory} on ${devices?.join(', ') ?? 'CPU'}${context}.`);
}

/** One line that changes, on a terminal; nothing elsewhere. */
class StatusLine {
  show(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${printable(text)}`);
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[2K');
  }
}
