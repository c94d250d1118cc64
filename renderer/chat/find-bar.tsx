import { ChevronDown, ChevronUp, X } from 'lucide-react';
import {
  type KeyboardEvent,
  type RefObject,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { OpenChat } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { IconButton } from '../shell/icon-button.js';
import { findHits, findPattern } from './find.js';
import { clearHighlights, highlight } from './highlights.js';

interface FindBarProps {
  chat: OpenChat;
  /** What is drawn of the chat. */
  root: RefObject<HTMLElement | null>;
  /** Draws the row, somewhere in sight. */
  onShow: (row: number) => void;
  onClose: () => void;
  inputRef: RefObject<HTMLInputElement | null>;
}

/** Finds words in the chat, in what is not drawn too. */
export function FindBar({ chat, root, onShow, onClose, inputRef }: FindBarProps) {
  const [query, setQuery] = useState('');
  const asked = useDeferredValue(query);
  const { branch, messages } = chat;
  const hits = useMemo(() => findHits(branch, messages, asked), [branch, messages, asked]);
  const [place, setPlace] = useState<number | null>(null);
  const index = hits.length === 0 ? null : Math.min(place ?? hits.length - 1, hits.length - 1);
  const hit = index === null ? null : (hits[index] ?? null);
  const { row, message, nth } = hit ?? { row: null, message: null, nth: null };

  // The one that was just chosen comes into sight once; later the reader scrolls where they like.
  const wanted = useRef(false);
  useEffect(() => {
    if (row === null || message === null || nth === null) return;
    wanted.current = true;
    onShow(row);
  }, [row, message, nth, onShow]);

  useEffect(() => {
    const element = root.current;
    const pattern = findPattern(asked);
    if (!element || !pattern) {
      clearHighlights();
      return;
    }
    let frame = 0;
    const mark = () => {
      const current = message === null || nth === null ? null : { message, nth };
      const range = highlight(element, pattern, current);
      if (!range || !wanted.current) return;
      const place = range.startContainer.parentElement;
      // What is not drawn yet is gone to once more when it is.
      wanted.current = place?.hasAttribute('data-undrawn') ?? false;
      place?.scrollIntoView({ block: 'center' });
    };
    // Rows come and go while the reader scrolls, and answers grow.
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    });
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    frame = requestAnimationFrame(mark);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [root, asked, message, nth]);
  useEffect(() => clearHighlights, []);
  useEffect(() => inputRef.current?.focus(), [inputRef]);

  const go = (step: 1 | -1) => {
    if (index !== null) setPlace((index + step + hits.length) % hits.length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      go(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
  };
  const count =
    asked.trim() === ''
      ? ''
      : t('chat.find_count', { place: (index ?? -1) + 1, total: hits.length });
  return (
    <search className="find" data-testid="find">
      <input
        ref={inputRef}
        type="text"
        dir="auto"
        aria-label={t('chat.find')}
        placeholder={t('chat.find')}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setPlace(null);
        }}
        onKeyDown={onKeyDown}
      />
      <span className="find-count" aria-live="polite">
        {count}
      </span>
      <IconButton
        size="small"
        label={t('chat.find_previous')}
        icon={<ChevronUp size={16} aria-hidden="true" />}
        disabled={hits.length === 0}
        onClick={() => go(-1)}
      />
      <IconButton
        size="small"
        label={t('chat.find_next')}
        icon={<ChevronDown size={16} aria-hidden="true" />}
        disabled={hits.length === 0}
        onClick={() => go(1)}
      />
      <IconButton
        size="small"
        label={t('common.close')}
        icon={<X size={16} aria-hidden="true" />}
        onClick={onClose}
      />
    </search>
  );
}
