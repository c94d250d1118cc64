/** The person's presets: system prompts under a name. Each throws an ApiError that says why not. */
import { type Preset, presetListSchema, presetSchema } from '../../protocol/chats.js';
import { readJson, request, sendJson } from './http.js';

const PATH = '/pilotlight/presets';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

type PresetText = Pick<Preset, 'name' | 'system_prompt'>;

export const presetsApi = {
  async list(): Promise<Preset[]> {
    return (await readJson(presetListSchema, await request(PATH))).presets;
  },

  async create(preset: PresetText): Promise<Preset> {
    return readJson(presetSchema, await sendJson('POST', PATH, preset));
  },

  async change(id: string, preset: PresetText): Promise<void> {
    await sendJson('PUT', pathOf(id), preset);
  },

  async remove(id: string): Promise<void> {
    await request(pathOf(id), { method: 'DELETE' });
  },
};
