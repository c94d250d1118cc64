/** What the person sets for all models. All throw ApiError with a sentence for people. */
import {
  type About,
  aboutSchema,
  type FolderCheck,
  folderCheckSchema,
  type ServerSettings,
  type SettingsPatch,
  settingsSchema,
} from '../../protocol/settings.js';
import { readJson, request, sendJson } from './http.js';

const PATH = '/pilotlight/settings';

export async function serverSettings(): Promise<ServerSettings> {
  return readJson(settingsSchema, await request(PATH));
}

export async function changeSettings(patch: SettingsPatch): Promise<ServerSettings> {
  return readJson(settingsSchema, await sendJson('PATCH', PATH, patch));
}

/** Whether models can be kept in a folder; null: in the one that there is now. */
export async function checkModelsFolder(path: string | null): Promise<FolderCheck> {
  const response = await sendJson('POST', '/pilotlight/models-folder/check', { path });
  return readJson(folderCheckSchema, response);
}

export async function about(): Promise<About> {
  return readJson(aboutSchema, await request('/pilotlight/about'));
}
