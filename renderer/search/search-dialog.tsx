import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Archive, MessageSquare, Search, Type } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { currentLanguage, t } from '../i18n/i18n.js';
import { useCommand } from '../shell/use-command.js';
import { navigate } from '../shell/use-route.js';
import { useStore } from '../shell/use-store.js';
import { titleOf } from '../sidebar/titles.js';
import type { ChatHit, ChatSearchStore } from './chat-search-store.js';

/** Searches titles and texts of all chats, and opens a chat where it was found. */
export function SearchDialog({ store }: { store: ChatSearchStore }) {
  const [open, setOpen] = useState(false);
  const chosen = useRef<ChatHit | null>(null);
  useCommand('search-chats', () => {
    // What was found last time is found again, as it is now.
    store.retry();
    setOpen(true);
  });
  const pick = (hit: ChatHit) => {
    chosen.current = hit;
    setOpen(false);
  };
  const onClosed = () => {
    const hit = chosen.current;
    chosen.current = null;
    if (!hit) return;
    const { chat_id: id, message_id: message } = hit;
    navigate({ page: 'chat', id, ...(message === null ? {} : { message }) });
  };
  return (
    <Dialog.Root
      open={open}
      onOpenChange={setOpen}
      onOpenChangeComplete={(nowOpen) => !nowOpen && onClosed()}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" data-quick="" />
        <Dialog.Popup className="palette" data-search="" aria-label={t('search.title')}>
          <SearchContent store={store} onPick={pick} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function SearchContent({
  store,
  onPick,
}: {
  store: ChatSearchStore;
  onPick: (hit: ChatHit) => void;
}) {
  const { query, hits, hitsFor, status, failure } = useStore(store);
  const format = useMemo(
    () => new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'medium' }),
    [],
  );
  const nothing = status === 'ready' && hits.length === 0;
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={hits}
      value={query}
      onValueChange={(next) => store.type(next)}
      itemToStringValue={() => query}
      autoHighlight="always"
      keepHighlight
    >
      <div className="palette-field">
        <Search size={18} aria-hidden="true" />
        <Autocomplete.Input
          dir="auto"
          maxLength={200}
          spellCheck={false}
          aria-label={t('search.field')}
          placeholder={t('search.field')}
          data-testid="search-field"
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <div className="hidden-visually" role="status">
        {status === 'searching' && t('search.searching')}
        {status === 'ready' && t('search.found', { n: hits.length })}
      </div>
      {(status === 'new' || nothing || failure !== null) && (
        <div className="palette-empty">
          {status === 'new' && t('search.hint')}
          {nothing && t('search.nothing', { query: hitsFor })}
          {failure !== null && (
            <>
              <p role="alert">{failure}</p>
              <button type="button" className="link-button" onClick={() => store.retry()}>
                {t('common.retry')}
              </button>
            </>
          )}
        </div>
      )}
      <Autocomplete.List className="palette-list">
        {(hit: ChatHit) => (
          <Autocomplete.Item
            key={`${hit.chat_id}/${hit.message_id}`}
            className="palette-item"
            data-testid="search-hit"
            value={hit}
            onClick={() => onPick(hit)}
          >
            {hit.message_id === null ? (
              <Type size={16} aria-hidden="true" />
            ) : (
              <MessageSquare size={16} aria-hidden="true" />
            )}
            <span className="search-hit">
              <span className="search-title" dir="auto">
                {titleOf(hit)}
              </span>
              <span className="search-excerpt" dir="auto">
                {hit.excerpt.map((piece, index) =>
                  piece.hit ? (
                    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have nothing else, and no state
                    <mark key={index}>{piece.text}</mark>
                  ) : (
                    withoutMarks(piece.text)
                  ),
                )}
              </span>
            </span>
            <span className="palette-kind">
              {hit.archived && <Archive size={13} role="img" aria-label={t('search.archived')} />}
              <time dateTime={new Date(hit.at).toISOString()}>{format.format(hit.at)}</time>
            </span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** Of Markdown: in a line of plain words they only disturb. */
function withoutMarks(text: string): string {
  return text.replace(/\*\*|`+|^#+\s|\|/gm, '');
}
