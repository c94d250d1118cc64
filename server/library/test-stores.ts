/** Models as other programs keep them, in a temporary home, for tests. */
import { createHash } from 'node:crypto';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Any file, and the folders above it. Its time is that of a file which came to rest long ago. */
export async function putFile(file: string, bytes: Uint8Array | string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
  await utimes(file, 1_700_000_000, 1_700_000_000);
  return file;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export interface HubRevision {
  /** "owner/name". */
  repo: string;
  revision: string;
  /** Path in the repository → bytes. */
  files: Record<string, Uint8Array>;
  /** It is what the branch "main" names. */
  isMain?: boolean;
}

/** As huggingface_hub does: blobs by their hashes, and a link to each from the snapshot. */
export async function putHubRevision(hub: string, revision: HubRevision): Promise<void> {
  const folder = path.join(hub, `models--${revision.repo.replaceAll('/', '--')}`);
  for (const [name, bytes] of Object.entries(revision.files)) {
    const blob = await putFile(path.join(folder, 'blobs', sha256(bytes)), bytes);
    const link = path.join(folder, 'snapshots', revision.revision, name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.relative(path.dirname(link), blob), link);
  }
  if (revision.isMain) await putFile(path.join(folder, 'refs', 'main'), revision.revision);
}

export interface OllamaModel {
  /** Below manifests/, such as "registry.ollama.ai/library/qwen3/4b". */
  manifest: string;
  /** Media type after "application/vnd.ollama.image." → bytes; null: the blob is missing. */
  layers: readonly [type: string, bytes: Uint8Array | null][];
}

export async function putOllamaModel(store: string, model: OllamaModel): Promise<void> {
  const layers = await Promise.all(
    model.layers.map(async ([type, bytes]) => {
      const hex = sha256(bytes ?? Buffer.from('missing'));
      if (bytes !== null) await putFile(path.join(store, 'blobs', `sha256-${hex}`), bytes);
      const mediaType = `application/vnd.ollama.image.${type}`;
      return { mediaType, digest: `sha256:${hex}`, size: bytes?.length ?? 0 };
    }),
  );
  const manifest = { schemaVersion: 2, config: { digest: 'sha256:0' }, layers };
  await putFile(path.join(store, 'manifests', model.manifest), JSON.stringify(manifest));
}
