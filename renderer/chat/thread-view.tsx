import { ArrowDown } from 'lucide-react';
import {
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { OpenChat } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { Drawing, DrawQueue } from '../markdown/draw-queue.js';
import { FindBar } from './find-bar.js';
import { Folds } from './folds.js';
import { MessageList, type MessageListHandle } from './message-list.js';
import { rowAt } from './thread.js';
import type { Editing } from './thread-actions.js';
import { useStickToEnd } from './use-stick-to-end.js';

interface ThreadViewProps {
  chat: OpenChat;
  nameOf: (model: string) => string;
  editing: Editing | null;
  canAsk: boolean;
  running: boolean;
  /** Message that is to be seen at first; null: the end. */
  target: string | null;
  finding: boolean;
  findRef: RefObject<HTMLInputElement | null>;
  onFindEnd: () => void;
}

/** The messages of a chat, as far as they are scrolled into sight. One for each chat. */
export function ThreadView(props: ThreadViewProps) {
  const { chat, target } = props;
  const scroller = useRef<HTMLElement>(null);
  // The list is drawn once more, before anything is seen, when there is something to scroll.
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const takeFrame = useCallback((element: HTMLElement | null) => {
    scroller.current = element;
    setFrame(element);
  }, []);
  const content = useRef<HTMLDivElement>(null);
  const list = useRef<MessageListHandle>(null);
  const { away, toEnd, hold, letGo } = useStickToEnd(scroller, content);
  const drawing = useMemo(() => new DrawQueue(), []);
  useLayoutEffect(() => (frame ? drawing.attach(frame, hold) : undefined), [drawing, frame, hold]);
  const folds = useMemo(() => new Map<string, boolean>(), []);

  // A new question, or an old one asked again, brings the reader to it.
  const newest = rowAt(chat, chat.branch.length - 1);
  const newestId = newest?.beside[0]?.id ?? newest?.message.id;
  const isNew = newest?.beside.some(({ status }) => status === 'running') ?? false;
  const before = useRef(newestId);
  useLayoutEffect(() => {
    if (newestId !== before.current && isNew) toEnd();
    before.current = newestId;
  }, [newestId, isNew, toEnd]);

  const show = useCallback(
    (row: number) => {
      letGo();
      list.current?.show(row);
    },
    [letGo],
  );
  const targetRow = target === null ? -1 : chat.branch.indexOf(target);
  useEffect(() => {
    if (targetRow >= 0) show(targetRow);
  }, [targetRow, show]);

  return (
    <div className="thread">
      {props.finding && (
        <FindBar
          chat={chat}
          root={content}
          onShow={show}
          onClose={props.onFindEnd}
          inputRef={props.findRef}
        />
      )}
      <section
        className="scroller"
        ref={takeFrame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={t('chat.conversation')}
      >
        <h1 className="hidden-visually">{chat.title || t('chat.chat')}</h1>
        <div ref={content} className="column">
          <Folds value={folds}>
            <Drawing value={drawing}>
              <MessageList
                chat={chat}
                scroller={frame}
                nameOf={props.nameOf}
                editing={props.editing}
                canAsk={props.canAsk}
                running={props.running}
                handle={list}
              />
            </Drawing>
          </Folds>
        </div>
      </section>
      {away && (
        <button type="button" className="jump" onClick={toEnd}>
          <ArrowDown size={15} aria-hidden="true" />
          {t('chat.to_end')}
        </button>
      )}
    </div>
  );
}
