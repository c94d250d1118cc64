/** What the fields of requests about a model's load take, in words. */
import { KV_TYPES } from '../../protocol/engine-load.js';

const kvType = `one of ${KV_TYPES.join(', ')}`;
const mode = '"auto", "on" or "off"';

export const LOAD_SETTING_WORDS: Readonly<Record<string, string>> = {
  settings: 'an object of settings of the load, such as {"context_length": 8192}',
  'settings.context_length': 'a whole number of at least 1',
  'settings.parallel': 'a whole number from 1 to 256',
  'settings.threads': 'a whole number from 1 to 512',
  'settings.gpu_layers': 'a whole number of at least 0',
  'settings.kv_type_k': kvType,
  'settings.kv_type_v': kvType,
  'settings.flash_attention': mode,
  'settings.unified_kv': mode,
  'settings.speculation': '"off", "ngram" or "draft"',
  'settings.draft_model': 'the id of a model',
  alone: 'true or false',
};
