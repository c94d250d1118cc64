/** What the person sets for all models. All throw ApiError with a sentence for people. */
import {
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
