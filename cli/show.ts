/** `pilotlight show`: all that a model's file says. */
import { formatBytes } from '../protocol/bytes.js';
import type { GgufValue } from '../server/library/gguf-values.js';
import { fileDetails } from '../server/model-details.js';
import { fileEntry } from '../server/model-entry.js';
import { findModel } from '../server/ollama/names.js';
import { type ListOptions, openLocalLibrary, printable } from './local-library.js';
import { SOURCE_WORDS } from './source-words.js';

/** Characters of a long text that are shown, such as of a licence; JSON has all. */
const MAX_TEXT = 200;

/** Lines of the chat template that are shown. */
const TEMPLATE_LINES = 12;

/** Sets the exit status of the process to 1 where there is no such model. */
export async function show(name: string, options: ListOptions): Promise<void> {
  const library = await openLocalLibrary(options);
  const model = findModel(library, name);
  library.close();
  if (model === null) {
    const known = library.models().map(({ id }) => `"${printable(id)}"`);
    const rest = known.length > 0 ? `There are: ${known.join(', ')}.` : 'There are no models yet.';
    console.error(`There is no model "${printable(name)}". ${rest}`);
    process.exitCode = 1;
    return;
  }
  const entry = fileEntry(model);
  const details = await fileDetails(model);
  if (options.json) {
    console.log(JSON.stringify({ ...entry, ...details }, null, 2));
    return;
  }
  const facts: [string, string | null][] = [
    ['id', entry.id],
    ['name', entry.name],
    ['problem', entry.reason],
    ['aliases', entry.aliases.join(', ') || null],
    ['from', SOURCE_WORDS[entry.source]],
    ...details.files.map((file, i): [string, string] => [i === 0 ? 'file' : '', file]),
    ['projector', details.projector],
    ['size', formatBytes(entry.size_bytes)],
    ['format', entry.quantization],
    ['architecture', entry.architecture || null],
    ['parameters', entry.parameters?.toLocaleString('en-US') ?? null],
    ['context', entry.trained_context_length?.toLocaleString('en-US') ?? null],
    ['can', entry.capabilities.join(', ') || null],
    ['licence', entry.license],
  ];
  console.log(lines(facts.flatMap(([fact, value]) => (value === null ? [] : [[fact, value]]))));
  const metadata = Object.entries(details.metadata);
  if (metadata.length > 0) {
    console.log(`\nmetadata\n${lines(metadata.map(([key, value]) => [key, shown(value)]))}`);
  }
  if (details.chat_template !== null) {
    console.log(`\nchat template\n${beginning(details.chat_template)}`);
  }
}

function lines(pairs: readonly (readonly string[])[]): string {
  const width = Math.max(...pairs.map(([name = '']) => name.length));
  return pairs
    .map(([name = '', value = '']) => printable(`  ${name.padEnd(width)}  ${value}`))
    .join('\n');
}

function shown(value: GgufValue): string {
  if (value === null) return '(a list)';
  const text = String(value).replace(/\s+/g, ' ').trim();
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function beginning(template: string): string {
  const all = template.split(/\r?\n/);
  const first = all.slice(0, TEMPLATE_LINES).map((line) => {
    const cut = line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
    return `  ${printable(cut)}`;
  });
  return [...first, ...(all.length > TEMPLATE_LINES ? ['  …'] : [])].join('\n');
}
