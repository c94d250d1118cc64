/** Calls about folders of chats. What they change comes back as events; each throws an ApiError that says why not. */
import { chatFolderListSchema } from '../../protocol/chats.js';
import { ApiError } from './error.js';
import { readJson, request, sendJson } from './http.js';

const FOLDERS = '/pilotlight/chat-folders';
const pathOf = (folder: string) => `${FOLDERS}/${encodeURIComponent(folder)}`;

/** Gives its id. */
export async function createFolder(name: string): Promise<string> {
  const { folders } = await readJson(
    chatFolderListSchema,
    await sendJson('POST', FOLDERS, { name }),
  );
  const made = folders.at(-1);
  if (!made) throw new ApiError('broken', 'The server speaks another version. Reload this window.');
  return made.id;
}

/** A place is counted from 0; the others make room. */
export async function changeFolder(
  folder: string,
  patch: { name?: string; position?: number },
): Promise<void> {
  await sendJson('PATCH', pathOf(folder), patch);
}

/** Its chats stay, in no folder. */
export async function removeFolder(folder: string): Promise<void> {
  await request(pathOf(folder), { method: 'DELETE' });
}
