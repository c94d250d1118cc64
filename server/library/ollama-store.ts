/**
 * Models of Ollama's store: manifests/HOST/NAMESPACE/NAME/TAG, each a JSON file that names blobs by their digests.
 * Format: https://github.com/ollama/ollama/blob/main/server/internal/manifest/manifest.go
 */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Candidate, Found } from './candidate.js';

/** Manifests that are looked at. */
const MAX_MANIFESTS = 10_000;

/** Largest manifest in bytes that is read; real ones have about one thousand. */
const MAX_MANIFEST_BYTES = 1_000_000;

/** Folders between manifests/ and a tag: host, namespace (one or more names), name. */
const MAX_DEPTH = 8;

const manifestSchema = z.looseObject({
  layers: z.array(z.looseObject({ mediaType: z.string(), digest: z.string() })).nullish(),
});

const MODEL = 'application/vnd.ollama.image.model';
const PROJECTOR = 'application/vnd.ollama.image.projector';
const ADAPTER = 'application/vnd.ollama.image.adapter';

const DEFAULT_HOST = 'registry.ollama.ai';
const DEFAULT_NAMESPACE = 'library';
const DEFAULT_TAG = 'latest';

/** @param store The folder that holds manifests/ and blobs/. */
export async function ollamaModels(store: string): Promise<Found> {
  const root = path.join(store, 'manifests');
  const folders: string[] = [];
  const tags: string[] = [];
  const look = async (at: string, depth: number): Promise<string | null> => {
    let entries: Dirent[];
    try {
      entries = await readdir(at, { withFileTypes: true });
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'unknown';
    }
    folders.push(at);
    for (const entry of entries.sort(byName)) {
      const full = path.join(at, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && depth < MAX_DEPTH) await look(full, depth + 1);
      else if (entry.isFile() && depth >= 2 && tags.length < MAX_MANIFESTS) tags.push(full);
    }
    return null;
  };
  const errorCode = await look(root, 0);
  const found = await Promise.all(tags.map((file) => modelOf(store, root, file)));
  return { candidates: found.filter((model) => model !== null), folders, errorCode, notices: [] };
}

/** "latest" is mostly another name of a tag that says more. */
function byName(a: Dirent, b: Dirent): number {
  const isLast = (entry: Dirent) => Number(entry.name === DEFAULT_TAG);
  return isLast(a) - isLast(b) || (a.name < b.name ? -1 : 1);
}

/** Null: it has no weights here, as models that run on other machines. */
async function modelOf(store: string, root: string, file: string): Promise<Candidate | null> {
  const id = nameOf(path.relative(root, file).split(path.sep));
  const make = (paths: string[], projectors: string[], problem: string | null): Candidate => ({
    ...{ base: id, paths, missingParts: [], totalParts: 1, source: 'ollama' },
    ...{ id, projectors, isAlone: true, problem },
  });
  const layers = await layersOf(file);
  if (layers === null) {
    return make([file], [], `Ollama's entry of ${id} is damaged: fetch it again with Ollama.`);
  }
  const ofType = (type: string) =>
    layers
      .filter(({ mediaType }) => mediaType.split(';', 1)[0]?.trim() === type)
      .map(({ digest }) => digest);
  const [digest, ...others] = ofType(MODEL);
  if (digest === undefined) return null;
  const blob = await blobOf(store, digest);
  if (blob === null) {
    return make(
      [file],
      [],
      `The weights of ${id} are missing in Ollama's store: fetch it again with Ollama.`,
    );
  }
  if (others.length > 0) {
    return make([blob], [], `${id} is in several files, which only Ollama puts together.`);
  }
  if (ofType(ADAPTER).length > 0) {
    return make([blob], [], `${id} is a model with an adapter, which only Ollama puts together.`);
  }
  const projectors = await Promise.all(ofType(PROJECTOR).map((each) => blobOf(store, each)));
  return make(
    [blob],
    projectors.filter((each) => each !== null),
    null,
  );
}

/** As Ollama shows it: host and namespace are left out where they are the usual ones. */
function nameOf(parts: readonly string[]): string {
  const [host = '', ...rest] = parts;
  const tag = rest.pop() ?? '';
  const shown = rest[0] === DEFAULT_NAMESPACE && host === DEFAULT_HOST ? rest.slice(1) : rest;
  const name = host === DEFAULT_HOST ? shown : [host, ...shown];
  return `${name.join('/')}:${tag}`.normalize('NFC');
}

/** Null: the file is no manifest. */
async function layersOf(file: string): Promise<{ mediaType: string; digest: string }[] | null> {
  try {
    if ((await stat(file)).size > MAX_MANIFEST_BYTES) return null;
    const parsed = manifestSchema.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? (parsed.data.layers ?? []) : null;
  } catch {
    return null;
  }
}

/** The path of a blob that is there; older versions wrote the digest with its colon. */
async function blobOf(store: string, digest: string): Promise<string | null> {
  const hex = /^sha256[:-]([0-9a-f]{64})$/.exec(digest)?.[1];
  if (hex === undefined) return null;
  for (const separator of ['-', ':']) {
    const file = path.join(store, 'blobs', `sha256${separator}${hex}`);
    const found = await stat(file).catch(() => null);
    if (found?.isFile()) return file;
  }
  return null;
}
