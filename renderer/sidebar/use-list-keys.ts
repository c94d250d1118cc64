import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { isStop, type SidebarRow, stepFrom, typeahead } from './rows.js';

/** Letters that follow each other faster than this are one word. */
const TYPING_MS = 700;

interface ListKeysParts {
  rows: readonly SidebarRow[];
  scroller: RefObject<HTMLElement | null>;
  /** Brings a row into sight; it is drawn soon after. */
  toIndex: (index: number) => void;
  /** Key of the row at which the Tab key stops first. */
  preferred: string | null;
  nameOf: (row: SidebarRow) => string;
  onFold: (row: SidebarRow, open: boolean) => void;
  onRename: (row: SidebarRow) => void;
  onRemove: (row: SidebarRow) => void;
}

/** A list of rows as one stop of the Tab key: arrows, Home, End and letters move within it. Rows have `data-row`. */
export function useListKeys(parts: ListKeysParts) {
  const { rows, scroller } = parts;
  const [chosen, setChosen] = useState<string | null>(null);
  const wanted = useRef<string | null>(null);
  const typed = useRef({ text: '', at: 0 });

  const there = (key: string | null) => key !== null && rows.some((row) => row.key === key);
  const stop =
    [chosen, parts.preferred].find((key) => there(key)) ?? rows.find(isStop)?.key ?? null;

  // A row far away is drawn some time after it was scrolled to.
  useEffect(() => {
    if (wanted.current === null) return;
    const row = find(scroller.current, wanted.current);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });

  const focus = (key: string) => {
    const index = rows.findIndex((row) => row.key === key);
    if (index >= 0) parts.toIndex(index);
    setChosen(key);
    wanted.current = key;
    const row = find(scroller.current, key);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  };
  /** Goes to the row after, before this one is gone; or before it, where it is the last. */
  const leave = (key: string) => {
    const at = rows.findIndex((row) => row.key === key);
    const next = stepFrom(rows, at, 'ArrowDown') ?? stepFrom(rows, at, 'ArrowUp');
    const row = next === null ? undefined : rows[next];
    if (row && scroller.current?.contains(document.activeElement)) focus(row.key);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || event.defaultPrevented) return;
    const at = rows.findIndex((row) => row.key === target.dataset.row);
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const go = (index: number | null) => {
      const next = index === null ? undefined : rows[index];
      if (next) focus(next.key);
      event.preventDefault();
    };
    const towardsStart = isRtl(target) ? 'ArrowRight' : 'ArrowLeft';
    switch (key) {
      case 'ArrowDown':
      case 'ArrowUp':
      case 'Home':
      case 'End':
        return go(stepFrom(rows, at, key));
      case 'ArrowLeft':
      case 'ArrowRight':
        return go(fold(row, at, key === towardsStart));
      case 'F2':
        event.preventDefault();
        return parts.onRename(row);
      case 'Delete':
        event.preventDefault();
        return parts.onRemove(row);
    }
    if (
      key.length === 1 &&
      (key !== ' ' || typed.current.text !== '') &&
      !event.nativeEvent.isComposing
    ) {
      go(typeahead(rows, at, typedWith(key, event.timeStamp), parts.nameOf));
    }
  };
  /** Folds what is open; from within it leads out. Gives where the focus goes. */
  const fold = (row: SidebarRow, at: number, close: boolean): number | null => {
    if (row.kind === 'folder' || row.kind === 'archive') {
      if (row.open === close) parts.onFold(row, !close);
      else if (!close) return stepFrom(rows, at, 'ArrowDown');
      return null;
    }
    if (!close || row.kind !== 'chat' || row.place !== 'within') return null;
    return rows.findLastIndex(
      ({ kind }, index) => index < at && (kind === 'folder' || kind === 'archive'),
    );
  };
  const typedWith = (key: string, at: number): string => {
    const before = at - typed.current.at < TYPING_MS ? typed.current.text : '';
    // One letter again and again goes through all that begin with it.
    const text = before === key ? key : before + key;
    typed.current = { text, at };
    return text;
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement && target.dataset.row) setChosen(target.dataset.row);
  };
  return { stop, focus, leave, onKeyDown, onFocus };
}

function find(scroller: HTMLElement | null, key: string): HTMLElement | null {
  return scroller?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? null;
}

function isRtl(element: Element): boolean {
  return getComputedStyle(element).direction === 'rtl';
}
