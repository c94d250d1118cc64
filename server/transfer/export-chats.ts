/** Chats as a file: one of JSON, one of Markdown, or an archive of many. */
import { Readable } from 'node:stream';
import yazl from 'yazl';
import type { ChatStore, StoredChat } from '../chats/store.js';
import { outputOf } from './archive.js';
import { exportedChat, exportFrame } from './own-json.js';
import { markdownOf } from './own-markdown.js';

export interface ExportedFile {
  /** Letters that every file system takes. */
  name: string;
  mediaType: string;
  content: Readable;
}

/** Characters of a file's name before its ending: with other alphabets some systems count three bytes for each. */
const NAME_LENGTH_MAX = 60;

/** @param ids Those that are gone meanwhile are left out. */
export function jsonExport(store: ChatStore, ids: readonly string[], now: number): ExportedFile {
  return {
    name: `pilotlight-chats-${dayOf(now)}.json`,
    mediaType: 'application/json',
    content: Readable.from(jsonParts(store, ids, now)),
  };
}

function* jsonParts(store: ChatStore, ids: readonly string[], now: number): Generator<string> {
  const [start, end] = exportFrame(store.folders(), now);
  yield start;
  let separator = '';
  for (const chat of chatsOf(store, ids)) {
    yield separator + JSON.stringify(exportedChat(chat));
    separator = ',\n';
  }
  yield end;
}

/** One chat as it is; several as an archive, in the folders that they are in. */
export function markdownExport(
  store: ChatStore,
  ids: readonly string[],
  now: number,
): ExportedFile {
  const [only] = ids;
  const single = ids.length === 1 && only !== undefined ? store.find(only) : null;
  if (single !== null) {
    return {
      name: `${fileName(single.title)}.md`,
      mediaType: 'text/markdown; charset=utf-8',
      content: Readable.from([markdownOf(single)]),
    };
  }
  const zip = new yazl.ZipFile();
  const output = outputOf(zip);
  const folders = new Map(store.folders().map(({ id, name }) => [id, fileName(name)]));
  const taken = new Set<string>();
  for (const chat of chatsOf(store, ids)) {
    const folder = chat.folder_id === null ? undefined : folders.get(chat.folder_id);
    const place = folder === undefined ? '' : `${folder}/`;
    const name = freeName(`${place}${dayOf(chat.created_at)} ${fileName(chat.title)}`, taken);
    const at = { mtime: new Date(chat.updated_at) };
    zip.addReadStreamLazy(name, at, (use) => {
      // Looked up once more, so that an archive of thousands needs the memory of one.
      const latest = store.find(chat.id) ?? chat;
      use(null, Readable.from([markdownOf(latest)]));
    });
  }
  zip.end();
  return {
    name: `pilotlight-chats-${dayOf(now)}.zip`,
    mediaType: 'application/zip',
    content: output,
  };
}

function* chatsOf(store: ChatStore, ids: readonly string[]): Generator<StoredChat> {
  for (const id of ids) {
    const chat = store.find(id);
    if (chat !== null) yield chat;
  }
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = `${wanted}.md`;
  // Systems that take capitals and small letters for the same would lose one of two.
  for (let i = 2; taken.has(name.toLowerCase()); i++) name = `${wanted} (${i}).md`;
  taken.add(name.toLowerCase());
  return name;
}

/** A title without what some system forbids in names, or takes for something of its own. */
export function fileName(title: string): string {
  const plain = title
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a name
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = Array.from(plain)
    .slice(0, NAME_LENGTH_MAX)
    .join('')
    .replace(/^[. ]+|[. ]+$/g, '');
  return short === '' || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(short)
    ? `Chat ${short}`.trim()
    : short;
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
