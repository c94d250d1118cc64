/** The parts of the settings, and every single one of them as the search knows it. */
import type { MessageKey } from '../i18n/areas.js';
import type { SettingsSectionName } from '../shell/route.js';

interface SectionEntry {
  name: SettingsSectionName;
  title: MessageKey;
}

export const SECTIONS: readonly SectionEntry[] = [
  { name: 'general', title: 'settings.general' },
  { name: 'appearance', title: 'settings.appearance' },
  { name: 'models', title: 'settings.models' },
  { name: 'folders', title: 'settings.folders' },
  { name: 'hub', title: 'settings.hub' },
  { name: 'tools', title: 'settings.tools' },
  { name: 'upstreams', title: 'settings.upstreams' },
  { name: 'rpc', title: 'settings.rpc' },
  { name: 'server', title: 'settings.server' },
  { name: 'data', title: 'settings.data' },
  { name: 'about', title: 'settings.about' },
];

export interface SettingEntry {
  /** Of its SettingPlace. */
  id: string;
  section: SettingsSectionName;
  title: MessageKey;
  hint?: MessageKey;
  /** Other words by which people look for it, with commas between. */
  synonyms: MessageKey;
  /** Not there in a browser. */
  desktop?: true;
}

export const SETTINGS: readonly SettingEntry[] = [
  {
    id: 'language',
    section: 'general',
    title: 'settings.language',
    hint: 'settings.language_hint',
    synonyms: 'settings.syn_language',
  },
  {
    id: 'send_with',
    section: 'general',
    title: 'settings.send_with',
    hint: 'settings.send_with_hint',
    synonyms: 'settings.syn_send_with',
  },
  {
    id: 'open_at_login',
    section: 'general',
    title: 'settings.open_at_login',
    hint: 'settings.open_at_login_hint',
    synonyms: 'settings.syn_open_at_login',
    desktop: true,
  },
  {
    id: 'quick_ask',
    section: 'general',
    title: 'settings.quick_ask',
    hint: 'settings.quick_ask_hint',
    synonyms: 'settings.syn_quick_ask',
    desktop: true,
  },
  {
    id: 'check_for_updates',
    section: 'general',
    title: 'settings.check_for_updates',
    hint: 'settings.check_for_updates_hint',
    synonyms: 'settings.syn_check_for_updates',
    desktop: true,
  },
  {
    id: 'welcome',
    section: 'general',
    title: 'settings.welcome',
    hint: 'settings.welcome_hint',
    synonyms: 'settings.syn_welcome',
  },
  {
    id: 'theme',
    section: 'appearance',
    title: 'settings.theme',
    synonyms: 'settings.syn_theme',
  },
  {
    id: 'accent',
    section: 'appearance',
    title: 'settings.accent',
    hint: 'settings.accent_hint',
    synonyms: 'settings.syn_accent',
  },
  {
    id: 'text_size',
    section: 'appearance',
    title: 'settings.text_size',
    hint: 'settings.text_size_hint',
    synonyms: 'settings.syn_text_size',
  },
  {
    id: 'memory_budget',
    section: 'models',
    title: 'settings.memory_budget',
    hint: 'settings.memory_automatic_hint',
    synonyms: 'settings.syn_memory_budget',
  },
  {
    id: 'memory_wait',
    section: 'models',
    title: 'settings.memory_wait',
    hint: 'settings.memory_wait_hint',
    synonyms: 'settings.syn_memory_wait',
  },
  {
    id: 'idle',
    section: 'models',
    title: 'settings.idle',
    synonyms: 'settings.syn_idle',
  },
  {
    id: 'models_dir',
    section: 'folders',
    title: 'settings.models_dir',
    hint: 'settings.models_dir_hint',
    synonyms: 'settings.syn_models_dir',
  },
  {
    id: 'folders',
    section: 'folders',
    title: 'settings.add_folder',
    hint: 'settings.add_folder_hint',
    synonyms: 'settings.syn_folders',
  },
  {
    id: 'sources',
    section: 'folders',
    title: 'settings.sources',
    synonyms: 'settings.syn_sources',
  },
  {
    id: 'hub_endpoint',
    section: 'hub',
    title: 'settings.hub_endpoint',
    hint: 'settings.hub_endpoint_hint',
    synonyms: 'settings.syn_hub_endpoint',
  },
  {
    id: 'hub_token',
    section: 'hub',
    title: 'settings.hub_token',
    hint: 'settings.hub_token_hint',
    synonyms: 'settings.syn_hub_token',
  },
  {
    id: 'tools',
    section: 'tools',
    title: 'tools.title',
    hint: 'tools.text',
    synonyms: 'tools.synonyms',
  },
  {
    id: 'upstreams',
    section: 'upstreams',
    title: 'settings.upstreams',
    hint: 'settings.upstreams_text',
    synonyms: 'settings.syn_upstreams',
  },
  {
    id: 'rpc',
    section: 'rpc',
    title: 'settings.rpc_title',
    hint: 'settings.rpc_text',
    synonyms: 'settings.syn_rpc',
  },
  {
    id: 'server_address',
    section: 'server',
    title: 'settings.server_address',
    hint: 'settings.server_text',
    synonyms: 'settings.syn_server_address',
  },
  {
    id: 'data_dir',
    section: 'data',
    title: 'settings.data_dir',
    hint: 'settings.data_dir_hint',
    synonyms: 'settings.syn_data_dir',
  },
  {
    id: 'export',
    section: 'data',
    title: 'transfer.export',
    hint: 'transfer.export_hint',
    synonyms: 'transfer.syn_export',
  },
  {
    id: 'import',
    section: 'data',
    title: 'transfer.import',
    hint: 'transfer.import_hint',
    synonyms: 'transfer.syn_import',
  },
  {
    id: 'backup',
    section: 'data',
    title: 'transfer.backup',
    hint: 'transfer.backup_hint',
    synonyms: 'transfer.syn_backup',
  },
  {
    id: 'version',
    section: 'about',
    title: 'settings.version',
    synonyms: 'settings.syn_version',
  },
  {
    id: 'updates',
    section: 'about',
    title: 'settings.updates',
    synonyms: 'settings.syn_updates',
    desktop: true,
  },
  {
    id: 'licence',
    section: 'about',
    title: 'settings.licence',
    hint: 'settings.notices',
    synonyms: 'settings.syn_licence',
  },
];
