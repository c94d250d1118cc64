/** What each setting takes, in words. */
import { KV_TYPES, ON_OFF_AUTO, SPECULATION } from '../../protocol/engine-load.js';
import { ACCENTS, LANGUAGES, WELCOME_STEPS } from '../../protocol/preferences.js';
import { IDLE_TTL_MAX } from '../../protocol/settings.js';

const oneOf = (values: readonly string[]) =>
  `one of ${values.map((each) => `"${each}"`).join(', ')}`;

const TTL = `a whole number of seconds from 0 to ${IDLE_TTL_MAX}, or null for never`;

export const SERVER_WORDS: Readonly<Record<string, string>> = {
  models_dir: 'the absolute path of a folder, or null',
  folders: 'a list of at most 100 absolute paths of folders',
  sources: 'an object of "lm_studio", "hugging_face", "llama_cpp" and "ollama", each true or false',
  memory_budget_bytes: 'a whole number of bytes, or null',
  memory_wait: 'a whole number of seconds from 1 to 86400',
  idle_ttl: TTL,
  hub_endpoint: 'a URL that begins with http:// or https://, or null',
  api_enabled: 'true or false',
  host: 'an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them',
  port: 'a whole number from 1 to 65535',
  allowed_hosts: 'a list of at most 100 names without a port, such as "host.docker.internal"',
  allowed_origins:
    'a list of at most 100 origins, such as "https://app.example", or "*" for all of them',
  rpc_hosts: 'a list of at most 64 workers, each as host:port, such as "10.0.0.5:50052"',
  chat_defaults: 'an object of settings of chats',
  preferences: 'an object of preferences',
  'preferences.theme': oneOf(['system', 'light', 'dark']),
  'preferences.accent': oneOf(ACCENTS),
  'preferences.text_size': 'a number from 0.8 to 1.6',
  'preferences.language': oneOf(['system', ...LANGUAGES]),
  'preferences.send_with': oneOf(['enter', 'mod_enter']),
  'preferences.quick_ask_shortcut': 'a shortcut such as "Alt+Space", or null',
  'preferences.check_for_updates': 'true or false',
  'preferences.welcomed': 'true or false',
  'preferences.welcome_step': `${oneOf(WELCOME_STEPS)}, or null`,
};

export const MODEL_WORDS: Readonly<Record<string, string>> = {
  aliases: 'a list of at most 20 names of 1 to 200 characters',
  context_length: 'a whole number of at least 1',
  parallel: 'a whole number from 1 to 256',
  threads: 'a whole number from 1 to 512',
  gpu_layers: 'a whole number of at least 0',
  kv_type_k: oneOf(KV_TYPES),
  kv_type_v: oneOf(KV_TYPES),
  flash_attention: oneOf(ON_OFF_AUTO),
  unified_kv: oneOf(ON_OFF_AUTO),
  speculation: oneOf(SPECULATION),
  draft_model: 'the id of a model',
  ttl: TTL,
  pinned: 'true or false',
  sampling: 'an object of sampling parameters',
  'sampling.temperature': 'a number from 0 to 2',
  'sampling.top_p': 'a number from 0 to 1',
  'sampling.top_k': 'a whole number of at least 0',
  'sampling.min_p': 'a number from 0 to 1',
  'sampling.presence_penalty': 'a number from -2 to 2',
  'sampling.frequency_penalty': 'a number from -2 to 2',
  'sampling.repeat_penalty': 'a number above 0 and up to 10',
  'sampling.max_tokens': 'a whole number of at least 1',
  system_prompt: 'a text of at most a million characters',
};
