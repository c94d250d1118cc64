/**
 * All that the window can be told to do, with its keys: the one table from which shortcuts, the palette, the list of
 * shortcuts and hints derive. What a command does, the part says that can do it: see use-command.ts.
 */
import type { MessageKey } from '../i18n/areas.js';
import { type Chord, chordText, parseChord } from './chord.js';

export const COMMAND_GROUPS = ['chat', 'go', 'view'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

interface CommandRow {
  group: CommandGroup;
  label: MessageKey;
  /** The first is the one that is shown. */
  keys: readonly string[];
  /** Keys that are held down do it again. */
  repeats?: true;
}

/** Keys that no browser keeps for itself, and none that type a character. */
const rows = {
  'new-chat': { group: 'chat', label: 'commands.new_chat', keys: ['Mod+Shift+O', 'Mod+N'] },
  'focus-composer': { group: 'chat', label: 'commands.focus_composer', keys: ['Mod+I'] },
  'attach-files': { group: 'chat', label: 'commands.attach_files', keys: ['Mod+U'] },
  stop: { group: 'chat', label: 'commands.stop', keys: ['Escape'] },
  regenerate: { group: 'chat', label: 'commands.regenerate', keys: ['Mod+Shift+Enter'] },
  'edit-question': { group: 'chat', label: 'commands.edit_question', keys: ['Mod+E'] },
  continue: { group: 'chat', label: 'commands.continue', keys: ['Mod+Shift+G'] },
  'copy-answer': { group: 'chat', label: 'commands.copy_answer', keys: ['Mod+Shift+C'] },
  'copy-chat': { group: 'chat', label: 'chat.copy_chat', keys: ['Mod+Shift+X'] },
  find: { group: 'chat', label: 'commands.find', keys: ['Mod+F'] },
  'chat-settings': { group: 'chat', label: 'commands.chat_settings', keys: ['Mod+Shift+S'] },
  compare: { group: 'chat', label: 'chat_settings.compare', keys: ['Mod+Shift+Y'] },
  'pick-model': { group: 'chat', label: 'commands.pick_model', keys: ['Mod+Shift+L'] },
  'next-chat': {
    group: 'go',
    label: 'commands.next_chat',
    keys: ['Alt+ArrowDown'],
    repeats: true,
  },
  'previous-chat': {
    group: 'go',
    label: 'commands.previous_chat',
    keys: ['Alt+ArrowUp'],
    repeats: true,
  },
  'search-chats': { group: 'go', label: 'commands.search_chats', keys: ['Mod+Shift+F'] },
  models: { group: 'go', label: 'commands.models', keys: ['Mod+Shift+M'] },
  developer: { group: 'go', label: 'commands.developer', keys: ['Mod+Shift+D'] },
  settings: { group: 'go', label: 'commands.settings', keys: ['Mod+,'] },
  palette: { group: 'view', label: 'commands.palette', keys: ['Mod+K'] },
  'toggle-sidebar': { group: 'view', label: 'commands.toggle_sidebar', keys: ['Mod+B'] },
  theme: { group: 'view', label: 'commands.theme', keys: ['Mod+Shift+H'] },
  shortcuts: { group: 'view', label: 'commands.shortcuts', keys: ['Mod+/'] },
} as const satisfies Record<string, CommandRow>;

export type CommandId = keyof typeof rows;

export interface Command {
  id: CommandId;
  group: CommandGroup;
  label: MessageKey;
  chords: readonly [Chord, ...Chord[]];
  repeats: boolean;
}

export const COMMANDS: readonly Command[] = Object.entries(rows).map(([id, row]) => {
  const [first, ...others] = row.keys;
  return {
    id: id as CommandId,
    group: row.group,
    label: row.label,
    chords: [parseChord(first), ...others.map(parseChord)],
    repeats: 'repeats' in row,
  };
});

const byId = new Map(COMMANDS.map((command) => [command.id, command]));

export function commandOf(id: CommandId): Command {
  const command = byId.get(id);
  if (!command) throw new Error(`There is no command ${id}.`);
  return command;
}

/** Keys of a command as people write them, such as "Ctrl+K". */
export function keysOf(id: CommandId): string {
  return chordText(commandOf(id).chords[0]);
}
