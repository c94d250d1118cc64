/** `pilotlight list`: the models there are, one a line. */
import { formatBytes } from '../protocol/bytes.js';
import { fileEntry } from '../server/model-entry.js';
import { columns } from './columns.js';
import { type ListOptions, openLocalLibrary, printable } from './local-library.js';
import { SOURCE_WORDS } from './source-words.js';

const HEAD = ['ID', 'SIZE', 'FORMAT', 'CONTEXT', 'CAN', 'FROM'];

const UNKNOWN = '-';

export async function list(options: ListOptions): Promise<void> {
  const library = await openLocalLibrary(options);
  const entries = library.models().map((model) => ({ ...fileEntry(model), path: model.path }));
  library.close();
  if (options.json) {
    console.log(JSON.stringify(entries, null, 2));
    return;
  }
  if (entries.length === 0) {
    console.error(`There is no model yet: put a GGUF file into ${library.modelsDir}.`);
    return;
  }
  const rows = entries.map((entry) => [
    printable(entry.id),
    formatBytes(entry.size_bytes),
    entry.quantization ?? UNKNOWN,
    entry.trained_context_length?.toString() ?? UNKNOWN,
    entry.reason === null ? entry.capabilities.join(',') || UNKNOWN : 'nothing',
    SOURCE_WORDS[entry.source],
  ]);
  console.log(columns([HEAD, ...rows]));
  for (const { id, reason } of entries) {
    if (reason !== null) console.error(printable(`${id}: ${reason}`));
  }
}
