/** What is done with models of the library. All throw ApiError with a sentence for people. */
import { type Fit, fitSchema } from '../../protocol/fit.js';
import type { ModelLoadSettings } from '../../protocol/model-control.js';
import { type ModelDetails, modelDetailsSchema } from '../../protocol/models.js';
import { type ModelSettings, modelSettingsSchema } from '../../protocol/settings.js';
import { encodePath } from '../shell/route.js';
import { readJson, request, sendJson } from './http.js';

const v1 = (id: string) => `/v1/models/${encodePath(id)}`;
const own = (id: string) => `/pilotlight/models/${encodePath(id)}`;

/** Answers once the model is loaded; its progress comes with the state. */
export async function loadModel(id: string): Promise<void> {
  await sendJson('POST', `${v1(id)}/load`, {});
}

/** Answers once the model has left memory: its running requests end first. */
export async function unloadModel(id: string): Promise<void> {
  await sendJson('POST', `${v1(id)}/unload`, {});
}

/** All that its file says. */
export async function modelDetails(id: string, signal: AbortSignal): Promise<ModelDetails> {
  return readJson(modelDetailsSchema, await request(own(id), { signal }));
}

/** Removes its files, all of them. */
export async function deleteModel(id: string): Promise<void> {
  await request(own(id), { method: 'DELETE' });
}

export async function modelSettings(id: string, signal?: AbortSignal): Promise<ModelSettings> {
  const response = await request(`${own(id)}/settings`, signal ? { signal } : {});
  return readJson(modelSettingsSchema, response);
}

export async function putModelSettings(id: string, settings: ModelSettings): Promise<void> {
  await sendJson('PUT', `${own(id)}/settings`, settings);
}

/** What the model would take with these settings; what they leave out is left to the server, whatever is set now. */
export async function estimateModel(
  id: string,
  settings: ModelLoadSettings,
  signal: AbortSignal,
): Promise<Fit> {
  const body = { settings, alone: true };
  return readJson(fitSchema, await sendJson('POST', `${own(id)}/estimate`, body, signal));
}
