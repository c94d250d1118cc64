import { useVirtualizer } from '@tanstack/react-virtual';
import { type Ref, useImperativeHandle, useMemo } from 'react';
import type { OpenChat } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { AnswerView } from './answer-view.js';
import { CompareView } from './compare-view.js';
import { Question } from './question.js';
import { guessHeight, hasSeveralModels, type Row, rowAt } from './thread.js';
import type { Editing } from './thread-actions.js';

export interface MessageListHandle {
  /** Brings a row into sight. */
  show: (row: number) => void;
}

interface MessageListProps {
  chat: OpenChat;
  /** Null until it is there. */
  scroller: HTMLElement | null;
  nameOf: (model: string) => string;
  editing: Editing | null;
  canAsk: boolean;
  running: boolean;
  handle: Ref<MessageListHandle>;
}

/** Rows drawn above and below what is seen, so that scrolling does not outrun the drawing. */
const OVERSCAN = 4;
/** Below the last message, wherever that is: a chat opens at its end. */
const AT_THE_END = 1_000_000_000;
/**
 * Rows stand in the flow of the page, so that the browser itself holds what is read in its place when rows above it turn
 * out higher or lower than guessed. Where it cannot, the virtualizer scrolls.
 */
const BROWSER_HOLDS = typeof CSS !== 'undefined' && CSS.supports('overflow-anchor', 'auto');

/** The messages of a branch: only those near what is seen are drawn. */
export function MessageList(props: MessageListProps) {
  const { chat, scroller, nameOf, editing, canAsk } = props;
  const { branch, messages } = chat;
  const last = branch.length - 1;
  const virtualizer = useVirtualizer({
    count: branch.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => {
      const message = messages.get(branch[index] ?? '');
      return message ? guessHeight(message) : 0;
    },
    // Answers beside each other are one row, whichever of them is chosen.
    getItemKey: (index) =>
      (index === last ? rowAt(chat, index)?.beside[0]?.id : undefined) ?? branch[index] ?? index,
    overscan: OVERSCAN,
    initialOffset: AT_THE_END,
    useFlushSync: false,
  });
  if (BROWSER_HOLDS) virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  useImperativeHandle(
    props.handle,
    () => ({ show: (row) => virtualizer.scrollToIndex(row, { align: 'center' }) }),
    [virtualizer],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: models change only with the branch
  const several = useMemo(() => hasSeveralModels(chat), [branch]);

  const items = virtualizer.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div role="feed" aria-label={t('chat.messages')} aria-busy={props.running} className="turns">
      <div style={{ height: above }} />
      {items.map(({ key, index }) => {
        const row = rowAt(chat, index);
        if (!row) return null;
        return (
          <article
            key={key}
            ref={virtualizer.measureElement}
            className="turn"
            data-index={index}
            data-role={row.message.role}
            aria-posinset={index + 1}
            aria-setsize={branch.length}
            tabIndex={-1}
          >
            <RowView
              row={row}
              last={index === last}
              live={chat.live}
              nameOf={nameOf}
              several={several}
              editing={editing}
              canAsk={canAsk}
            />
          </article>
        );
      })}
      <div style={{ height: Math.max(below, 0) }} />
    </div>
  );
}

interface RowViewProps {
  row: Row;
  last: boolean;
  live: OpenChat['live'];
  nameOf: (model: string) => string;
  several: boolean;
  editing: Editing | null;
  canAsk: boolean;
}

function RowView({ row, last, live, nameOf, several, editing, canAsk }: RowViewProps) {
  const { message, branches, beside } = row;
  const edited = editing?.id === message.id ? editing.text : null;
  if (message.role === 'user') {
    return <Question message={message} branches={branches} edited={edited} canAsk={canAsk} />;
  }
  if (beside.length > 1) {
    return (
      <CompareView
        answers={beside}
        chosen={message.id}
        live={live}
        nameOf={nameOf}
        editing={editing}
        canAsk={canAsk}
      />
    );
  }
  return (
    <AnswerView
      message={message}
      branches={branches}
      live={live.get(message.id) ?? null}
      modelName={nameOf(message.model)}
      showModel={several}
      edited={edited}
      last={last}
      canAsk={canAsk}
    />
  );
}
