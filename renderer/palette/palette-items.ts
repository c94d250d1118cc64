/** What the palette finds, and in which order. Pure. */
import fuzzysort from 'fuzzysort';

/** `text`: what was typed, to be looked for in the texts of chats. */
export type PaletteKind = 'command' | 'chat' | 'model' | 'setting' | 'text';

export interface PaletteItem {
  /** Such as "command:new-chat": kept among the recent ones. */
  id: string;
  kind: PaletteKind;
  label: string;
  /** Keys that do the same; null: none. */
  keys: string | null;
  run: () => void;
}

/** A label in pieces: those that were typed, and what lies between them. */
export type LabelPiece = { text: string; hit: boolean };

export interface FoundItem {
  item: PaletteItem;
  label: readonly LabelPiece[];
}

export interface PaletteGroup {
  value: 'recent' | 'command' | 'chat' | 'model' | 'found' | 'text';
  items: FoundItem[];
}

const RECENT_SHOWN = 5;
const CHATS_SHOWN = 6;
const FOUND_SHOWN = 50;
/** What a recent item gains; a fair match has 0.5, a perfect one 1. */
const RECENT_GAIN = 0.1;

/**
 * With nothing typed: what was used last, then all commands, the newest chats and the models. Else whatever resembles
 * `query`, best first; `recent` are ids, the latest first.
 */
export function findItems(
  query: string,
  items: readonly PaletteItem[],
  recent: readonly string[],
): PaletteGroup[] {
  const wanted = query.trim();
  if (wanted !== '') return withoutEmpty([{ value: 'found', items: match(wanted, items, recent) }]);
  const byId = new Map(items.map((item) => [item.id, item]));
  const last = recent.flatMap((id) => byId.get(id) ?? []).slice(0, RECENT_SHOWN);
  const others = items.filter((item) => !last.includes(item));
  const of = (kind: PaletteKind) => others.filter((item) => item.kind === kind);
  return withoutEmpty([
    { value: 'recent', items: last.map(whole) },
    { value: 'command', items: of('command').map(whole) },
    { value: 'chat', items: of('chat').slice(0, CHATS_SHOWN).map(whole) },
    { value: 'model', items: of('model').map(whole) },
  ]);
}

function match(
  query: string,
  items: readonly PaletteItem[],
  recent: readonly string[],
): FoundItem[] {
  const found = fuzzysort.go(query, items, {
    key: 'label',
    limit: FOUND_SHOWN,
    scoreFn: ({ score, obj }) =>
      score > 0 && recent.includes(obj.id) ? score + RECENT_GAIN : score,
  });
  return found.map((result) => ({
    item: result.obj,
    label: result
      .highlight((text): LabelPiece => ({ text, hit: true }))
      .map((piece) => (typeof piece === 'string' ? { text: piece, hit: false } : piece))
      .filter(({ text }) => text !== ''),
  }));
}

function whole(item: PaletteItem): FoundItem {
  return { item, label: [{ text: item.label, hit: false }] };
}

function withoutEmpty(groups: PaletteGroup[]): PaletteGroup[] {
  return groups.filter((group) => group.items.length > 0);
}
