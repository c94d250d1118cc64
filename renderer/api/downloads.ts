/** Models on their way. How they stand comes with the server's state. All throw ApiError with a sentence for people. */
import { type Download, downloadSchema } from '../../protocol/downloads.js';
import { readJson, request, sendJson } from './http.js';

const one = (id: string) => `/pilotlight/downloads/${encodeURIComponent(id)}`;

/** Starts to fetch one variant of a repo, as it was shown: at that revision. */
export async function startDownload(
  repo: string,
  revision: string,
  name: string,
): Promise<Download> {
  const response = await sendJson('POST', '/pilotlight/downloads', { repo, revision, name });
  return readJson(downloadSchema, response);
}

export async function pauseDownload(id: string): Promise<void> {
  await sendJson('POST', `${one(id)}/pause`, {});
}

/** Goes on from the bytes that are there; also at once where it waits for its next try. */
export async function resumeDownload(id: string): Promise<void> {
  await sendJson('POST', `${one(id)}/resume`, {});
}

/** Removes it and what has come of it; of one that is done only its entry in the list. */
export async function removeDownload(id: string): Promise<void> {
  await request(one(id), { method: 'DELETE' });
}
