import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Box, ChevronRight, MessageSquare, Search, SlidersHorizontal } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { t } from '../i18n/i18n.js';
import { matchesChord } from '../shell/chord.js';
import { commands } from '../shell/command-registry.js';
import { COMMANDS, commandOf, keysOf } from '../shell/commands.js';
import { useCommand } from '../shell/use-command.js';
import { useStore } from '../shell/use-store.js';
import { settingItems } from './found-items.js';
import {
  type FoundItem,
  findItems,
  type PaletteGroup,
  type PaletteItem,
  type PaletteKind,
} from './palette-items.js';
import { loadRecent, rememberRecent } from './recent.js';

/** Of the last item, which looks in the texts of chats. */
const SEARCH_ID = 'text';

const icons = {
  command: ChevronRight,
  chat: MessageSquare,
  model: Box,
  setting: SlidersHorizontal,
  text: Search,
} satisfies Record<PaletteKind, unknown>;

const groupNames = {
  recent: 'palette.recent',
  command: 'palette.commands',
  chat: 'palette.chats',
  model: 'palette.models',
} as const;

const kindNames = {
  command: 'palette.kind_command',
  chat: 'palette.kind_chat',
  model: 'palette.kind_model',
  setting: 'palette.kind_setting',
  text: null,
} as const;

interface PaletteProps {
  /** Beside the commands and settings: chats, models. */
  items: readonly PaletteItem[];
  /** Looks for what was typed in the texts of all chats. */
  onSearch: (query: string) => void;
}

/** One field from which everything can be reached: commands, chats, models, settings. */
export function Palette({ items, onSearch }: PaletteProps) {
  const [open, setOpen] = useState(false);
  const chosen = useRef<PaletteItem | null>(null);
  useCommand('palette', () => setOpen(true));

  const pick = (item: PaletteItem) => {
    if (item.id !== SEARCH_ID) rememberRecent(item.id);
    chosen.current = item;
    setOpen(false);
  };
  // Only then the focus is back where it was, and may go elsewhere.
  const onClosed = () => {
    const item = chosen.current;
    chosen.current = null;
    item?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!commandOf('palette').chords.some((chord) => matchesChord(event.nativeEvent, chord)))
      return;
    event.preventDefault();
    setOpen(false);
  };
  return (
    <Dialog.Root
      open={open}
      onOpenChange={setOpen}
      onOpenChangeComplete={(nowOpen) => !nowOpen && onClosed()}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" data-quick="" />
        <Dialog.Popup className="palette" aria-label={t('palette.title')} onKeyDown={onKeyDown}>
          <PaletteContent items={items} onPick={pick} onSearch={onSearch} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteContent(props: PaletteProps & { onPick: (item: PaletteItem) => void }) {
  const [query, setQuery] = useState('');
  const [recent] = useState(loadRecent);
  const { runs } = useStore(commands);
  const items = useMemo(() => {
    const offered = COMMANDS.filter(({ id }) => id !== 'palette' && runs.has(id)).map(
      ({ id, label }): PaletteItem => ({
        id: `command:${id}`,
        kind: 'command',
        label: t(label),
        keys: keysOf(id),
        run: () => commands.run(id),
      }),
    );
    return [...offered, ...props.items, ...settingItems()];
  }, [runs, props.items]);
  const found = useMemo(() => findItems(query, items, recent), [query, items, recent]);
  const { onSearch } = props;
  const groups = useMemo(() => {
    const wanted = query.trim();
    if (wanted === '') return found;
    const label = t('palette.search_texts', { query: wanted });
    const run = () => onSearch(wanted);
    const item: PaletteItem = { id: SEARCH_ID, kind: 'text', label, keys: null, run };
    const last: PaletteGroup = {
      value: 'text',
      items: [{ item, label: [{ text: label, hit: false }] }],
    };
    return [...found, last];
  }, [query, found, onSearch]);
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={groups}
      value={query}
      onValueChange={setQuery}
      itemToStringValue={({ item }: FoundItem) => item.label}
      autoHighlight="always"
      keepHighlight
    >
      <div className="palette-field">
        <Search size={18} aria-hidden="true" />
        <Autocomplete.Input
          dir="auto"
          maxLength={200}
          spellCheck={false}
          aria-label={t('palette.field')}
          placeholder={t('palette.field')}
          data-testid="palette-field"
        />
      </div>
      <Autocomplete.List className="palette-list">
        {(group: PaletteGroup) => (
          <Autocomplete.Group key={group.value} items={group.items} className="palette-group">
            {group.value !== 'found' && group.value !== 'text' && (
              <Autocomplete.GroupLabel className="menu-label">
                {t(groupNames[group.value])}
              </Autocomplete.GroupLabel>
            )}
            <Autocomplete.Collection>
              {(found: FoundItem) => (
                <Row key={found.item.id} found={found} onPick={props.onPick} />
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function Row({ found, onPick }: { found: FoundItem; onPick: (item: PaletteItem) => void }) {
  const { item, label } = found;
  const Icon = icons[item.kind];
  const kind = kindNames[item.kind];
  return (
    <Autocomplete.Item
      className="palette-item"
      value={found}
      onClick={() => onPick(item)}
      data-testid={`palette-${item.id}`}
    >
      <Icon size={16} aria-hidden="true" />
      <span className="palette-label" dir="auto">
        {label.map((piece, index) =>
          piece.hit ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have nothing else, and no state
            <mark key={index}>{piece.text}</mark>
          ) : (
            piece.text
          ),
        )}
      </span>
      {item.keys !== null && <kbd className="keys">{item.keys}</kbd>}
      {item.keys === null && kind !== null && <span className="palette-kind">{t(kind)}</span>}
    </Autocomplete.Item>
  );
}
