/** Searching the hub. What it tells is written by strangers: bounded, and left out where it is not what it should be. */
import { listModels } from '@huggingface/hub';
import { z } from 'zod';
import { type HUB_SORTS, type HubModel, type HubModelPage, REPO_NAME } from '../../protocol/hub.js';
import type { HubClient } from './client.js';

export type HubSort = (typeof HUB_SORTS)[number];

export interface HubSearch {
  /** Words, a repo's name, or the address of its page. */
  search: string;
  sort: HubSort;
  /** Models of a page. */
  limit: number;
  /** As an earlier page told it; null: the first page. */
  cursor: string | null;
  signal?: AbortSignal | null;
}

const SORTS = {
  trending: 'trendingScore',
  downloads: 'downloads',
  likes: 'likes',
  updated: 'lastModified',
  created: 'createdAt',
} as const satisfies Record<HubSort, string>;

/** Longest cursor that is handed on, characters. */
const MAX_CURSOR = 2_000;

/** A model as the library reads it. */
const entrySchema = z
  .object({
    name: z.string().regex(REPO_NAME),
    downloads: z.number().int().min(0).catch(0),
    likes: z.number().int().min(0).catch(0),
    updatedAt: z.date().catch(new Date(0)),
    gated: z.unknown(),
    private: z.boolean().catch(false),
    task: z.string().max(100).nullable().catch(null),
  })
  .transform(
    ({ name, updatedAt, gated, ...rest }): HubModel => ({
      ...rest,
      repo: name,
      updated_at: updatedAt.toISOString(),
      gated: isGated(gated),
    }),
  );

/** "auto" and "manual", where it is. */
export function isGated(value: unknown): boolean {
  return value !== false && value !== undefined && value !== null;
}

/**
 * Repos that have GGUF files.
 * @throws HubError
 */
export async function searchModels(client: HubClient, wanted: HubSearch): Promise<HubModelPage> {
  const { sort, limit, cursor, signal = null } = wanted;
  const query = wordsOf(wanted.search, client);
  let next: string | null = null;
  const pages = listModels({
    hubUrl: client.endpoint,
    search: { ...(query === '' ? {} : { query }), tags: ['gguf'] },
    sort: SORTS[sort],
    limit,
    // One page: the library would go on to the next.
    fetch: async (input) => {
      const url = new URL(input instanceof Request ? input.url : String(input));
      if (cursor !== null) url.searchParams.set('cursor', cursor);
      const response = await client.libraryFetch(url, { signal });
      next = cursorOf(response.headers.get('link'));
      const text = await response.text();
      const entries = client.parsed(z.array(z.looseObject({})), () => JSON.parse(text));
      return new Response(JSON.stringify(entries));
    },
  });
  const models: HubModel[] = [];
  for await (const entry of pages) {
    const { success, data } = entrySchema.safeParse(entry);
    if (success) models.push(data);
  }
  return { models, next_cursor: next };
}

/** People paste the address of a model's page. */
function wordsOf(search: string, { endpoint }: HubClient): string {
  const words = search.trim();
  const pages = [endpoint, 'https://huggingface.co', 'https://hf.co'].map((page) => `${page}/`);
  const page = pages.find((each) => words.startsWith(each));
  if (page === undefined) return words;
  return words.slice(page.length).split(/[/?#]/).slice(0, 2).join('/');
}

function cursorOf(link: string | null): string | null {
  const [, next = ''] = /<([^>]+)>;\s*rel="next"/.exec(link ?? '') ?? [];
  const cursor = URL.canParse(next) ? new URL(next).searchParams.get('cursor') : null;
  return cursor !== null && cursor.length <= MAX_CURSOR ? cursor : null;
}
