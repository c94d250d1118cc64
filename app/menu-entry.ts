/** What menus are made of, before Electron builds them. */

export type MenuAction =
  | { type: 'select-model'; model: string }
  | { type: 'unload-model'; model: string }
  /** null: every request that is under way. */
  | { type: 'cancel-request'; id: string | null }
  | { type: 'open' }
  | { type: 'quick-ask' }
  | { type: 'check-for-update' }
  | { type: 'about' }
  | { type: 'open-models-folder' }
  | { type: 'copy-address' }
  /** Whether programs may use the API. */
  | { type: 'set-serving'; enabled: boolean }
  | { type: 'start-server' }
  | { type: 'stop-server' }
  | { type: 'set-open-at-login'; open: boolean }
  | { type: 'quit' };

export type MenuEntry =
  | { kind: 'separator' }
  | {
      kind: 'item';
      /** Of one entry only in the whole menu. */
      id: string;
      /** Already escaped for Electron, where "&" marks an access key. */
      label: string;
      /** Whole text of a label that was cut; macOS shows it. */
      toolTip: string | null;
      enabled: boolean;
      /** null: an entry without a tick. */
      checked: boolean | null;
      action: MenuAction | null;
    }
  | { kind: 'submenu'; id: string; label: string; entries: MenuEntry[] };

export type MenuItemEntry = Extract<MenuEntry, { kind: 'item' }>;

/** Characters of a label; menus grow with their longest entry and models have long names. */
export const LABEL_LENGTH = 72;
/** Of them, those that a note after a name may take. */
const NOTE_LENGTH = 48;
/** Last characters that a name keeps when it is cut: models of one family differ there ("…Q4_K_M"). */
const NAME_END_LENGTH = 12;

interface ItemOptions {
  enabled?: boolean;
  checked?: boolean;
  /** After the text; has its place beside a long one. */
  note?: string | null;
  /** Between text and note. */
  joint?: string;
}

export function item(
  id: string,
  text: string,
  action: MenuAction | null,
  options: ItemOptions = {},
): MenuItemEntry {
  const { label, toolTip } = labelOf(text, options.note ?? null, options.joint ?? ' — ');
  return {
    ...{ kind: 'item', id, label, toolTip },
    enabled: options.enabled ?? true,
    checked: options.checked ?? null,
    action,
  };
}

export function submenu(id: string, text: string, entries: MenuEntry[]): MenuEntry {
  return { kind: 'submenu', id, label: labelOf(text, null, '').label, entries };
}

/** Groups of entries with a line between each two; empty groups leave none. */
export function withSeparators(groups: readonly (readonly MenuEntry[])[]): MenuEntry[] {
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => (index === 0 ? group : [{ kind: 'separator' }, ...group]));
}

/** A name, then a note where there is one; each is cut where both are too long. */
function labelOf(
  text: string,
  note: string | null,
  joint: string,
): { label: string; toolTip: string | null } {
  const name = oneLine(text);
  const words = note === null ? '' : joint + oneLine(note);
  const room = Math.max(NOTE_LENGTH, LABEL_LENGTH - lengthOf(name));
  const end = cut(words, room, 0);
  const label = cut(name, LABEL_LENGTH - lengthOf(end), NAME_END_LENGTH) + end;
  const isWhole = label === name + words;
  return { label: label.replaceAll('&', '&&'), toolTip: isWhole ? null : name + words };
}

/** Names come from strangers' files: what would break a line or turn the direction of the text goes. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** At most `length` characters, the last `kept` of them from the text's end. */
function cut(text: string, length: number, kept: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  const end = kept === 0 ? [] : characters.slice(-kept);
  return [...characters.slice(0, length - end.length - 1), '…', ...end].join('');
}
