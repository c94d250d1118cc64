/** What the server's errors are called in the person's language. */
import { currentLanguage, t } from '../i18n/i18n.js';

/** The codes that a person can meet, each with a message that says what to do. */
const KNOWN = [
  'address_given',
  'alias_taken',
  'answer_running',
  'attachment_file_gone',
  'attachment_not_found',
  'context_length_exceeded',
  'disk_full',
  'download_disk_full',
  'download_not_writable',
  'empty_file',
  'encrypted_file',
  'engine_crashed',
  'engine_failed',
  'file_too_big',
  'file_too_complex',
  'given_at_start',
  'hub_not_found',
  'hub_offline',
  'hub_timeout',
  'hub_tls',
  'hub_proxy',
  'hub_gated',
  'hub_token',
  'hub_rate_limited',
  'hub_server',
  'hub_bad_answer',
  'image_too_large',
  'incomplete_file',
  'invalid_api_key',
  'key_needed',
  'last_key',
  'load_cancelled',
  'load_failed',
  'local_only',
  'memory_busy',
  'model_in_use',
  'model_invalid',
  'model_not_found',
  'name_taken',
  'no_room',
  'not_deleted',
  'not_saved',
  'out_of_memory',
  'queue_full',
  'request_cancelled',
  'request_too_large',
  'secret_not_kept',
  'settings_not_saved',
  'shutting_down',
  'token_in_environment',
  'unreadable_file',
  'unsupported_file',
  'upstream_failed',
  'upstream_refused',
  'upstream_unreachable',
] as const;

/**
 * The sentence for an error of the server. In English that is its own one, which knows most; in other languages one for
 * its code, and the server's where the code says nothing to people.
 */
export function errorSentence(code: string | null, sentence: string): string {
  if (currentLanguage() === 'en') return sentence;
  const known = KNOWN.find((each) => each === code);
  return known === undefined ? sentence : t(`errors.${known}`);
}
