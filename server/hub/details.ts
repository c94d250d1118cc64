/** What a repo of the hub holds: facts of the model, and its files as the variants that can be fetched. */
import { listFiles } from '@huggingface/hub';
import { z } from 'zod';
import {
  type HubFile,
  type HubModelDetails,
  type HubVariant,
  REPO_NAME,
} from '../../protocol/hub.js';
import type { HubClient } from './client.js';
import { HubError } from './errors.js';
import { isGated } from './search.js';
import { variantsOf } from './variants.js';

/** As the hub knows it; where a file is in the library, and whether it fits, is added by others. */
export type RepoDetails = Omit<HubModelDetails, 'variants'> & {
  variants: Omit<HubVariant, 'installed_as' | 'fit'>[];
};

/** Files of a repo that are looked at. */
const MAX_FILES = 20_000;

const EXPANDED = [
  ...['sha', 'gated', 'private', 'downloads', 'likes', 'lastModified', 'pipeline_tag'],
  ...['cardData', 'tags', 'gguf'],
];

const count = z.number().int().min(0);
const word = z.string().max(100).nullable().catch(null);

const infoSchema = z.object({
  id: z.string().regex(REPO_NAME),
  sha: z.string().regex(/^[0-9a-f]{40,64}$/),
  gated: z.unknown(),
  private: z.boolean().catch(false),
  downloads: count.catch(0),
  likes: count.catch(0),
  lastModified: z.iso.datetime().catch(new Date(0).toISOString()),
  pipeline_tag: word,
  cardData: z
    .object({ license: z.union([z.string(), z.array(z.string())]) })
    .nullable()
    .catch(null),
  tags: z.array(z.string().max(200)).catch([]),
  gguf: z
    .object({
      total: count.nullable().catch(null),
      architecture: word,
      context_length: count.nullable().catch(null),
    })
    .nullable()
    .catch(null),
});
type Info = z.infer<typeof infoSchema>;

const size = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const fileSchema = z.object({
  type: z.literal('file'),
  path: z.string().min(1),
  size,
  lfs: z
    .object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size })
    .nullable()
    .catch(null),
});

/**
 * @param revision A branch, a tag or a commit.
 * @throws HubError
 */
export async function repoDetails(
  client: HubClient,
  repo: string,
  revision: string,
  signal: AbortSignal | null = null,
): Promise<RepoDetails> {
  const query = EXPANDED.map((key) => `expand=${key}`).join('&');
  const url = `${client.endpoint}/api/models/${repo}/revision/${encodeURIComponent(revision)}`;
  const info = await client.json(`${url}?${query}`, infoSchema, { repo, signal });
  const files = await filesOf(client, repo, info.sha, signal);
  return {
    // Of one that was renamed the hub tells the new name.
    repo: info.id,
    downloads: info.downloads,
    likes: info.likes,
    updated_at: info.lastModified,
    gated: isGated(info.gated),
    private: info.private,
    task: info.pipeline_tag,
    revision: info.sha,
    license: licenseOf(info),
    architecture: info.gguf?.architecture ?? null,
    parameters: info.gguf?.total ?? null,
    trained_context_length: info.gguf?.context_length ?? null,
    variants: variantsOf(files),
  };
}

async function filesOf(
  client: HubClient,
  repo: string,
  revision: string,
  signal: AbortSignal | null,
): Promise<HubFile[]> {
  const files: HubFile[] = [];
  const listing = listFiles({
    hubUrl: client.endpoint,
    repo: { type: 'model', name: repo },
    revision,
    recursive: true,
    fetch: async (input) => {
      const response = await client.libraryFetch(input, { signal });
      const text = await response.text();
      const entries = client.parsed(z.array(z.looseObject({})), () => JSON.parse(text));
      return new Response(JSON.stringify(entries), { headers: response.headers });
    },
  });
  let seen = 0;
  for await (const entry of listing) {
    if (++seen > MAX_FILES) {
      throw new HubError('bad_answer', `${repo} has more than ${MAX_FILES} files.`);
    }
    const { success, data } = fileSchema.safeParse(entry);
    if (!success) continue;
    const { path, lfs } = data;
    files.push({ path, size_bytes: lfs?.size ?? data.size, sha256: lfs?.oid ?? null });
  }
  return files;
}

function licenseOf({ cardData, tags }: Info): string | null {
  const tag = tags.find((each) => each.startsWith('license:'))?.slice('license:'.length);
  const license = [cardData?.license ?? tag ?? []].flat().join(', ');
  return license === '' ? null : license.slice(0, 100);
}
