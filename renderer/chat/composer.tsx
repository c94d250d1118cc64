import { ArrowUp, Square } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useId,
} from 'react';
import type { Preferences } from '../../protocol/preferences.js';
import { t } from '../i18n/i18n.js';
import { usePreferences } from '../preferences/preferences.js';
import { chordText, parseChord } from '../shell/chord.js';
import { Hint } from '../shell/icon-button.js';
import { sends } from './sends.js';
import { useAutoGrow } from './use-auto-grow.js';

interface ComposerProps {
  inputRef: RefObject<HTMLTextAreaElement | null>;
  draft: string;
  onDraft: (draft: string) => void;
  modelName: string | null;
  running: boolean;
  /** Why nothing can be sent, or null. */
  blocked: string | null;
  /** There is something to send beside words. */
  hasFiles: boolean;
  /** What goes with the question, and what is wrong with it. */
  files: ReactNode;
  onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
  /** Buttons for what goes with a question. */
  tools: ReactNode;
  onSend: () => void;
  onStop: () => void;
}

function sendKeys(sendWith: Preferences['send_with']): string {
  if (sendWith === 'enter') return t('chat.keys_send');
  return t('chat.keys_send_with', { keys: chordText(parseChord('Mod+Enter')) });
}

/** Between the things in it: neither a button, nor a menu that belongs to one and is elsewhere on the page. */
function isGround({ target, currentTarget }: MouseEvent): boolean {
  return (
    target instanceof Element &&
    currentTarget.contains(target) &&
    !target.closest('button, ul, [role="alert"]')
  );
}

/** Where the person writes. */
export function Composer(props: ComposerProps) {
  const { inputRef, draft, running, blocked } = props;
  const hintId = useId();
  useAutoGrow(inputRef, draft);
  const canSend = !running && blocked === null && (draft.trim() !== '' || props.hasFiles);
  const send = () => canSend && props.onSend();
  const { send_with } = usePreferences();
  const onKeyDown = (event: KeyboardEvent) => {
    if (!sends(event, send_with)) return;
    event.preventDefault();
    send();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a bigger target for the pointer; the keyboard has the field
    <div className="composer" onClick={(event) => isGround(event) && inputRef.current?.focus()}>
      {props.files}
      <textarea
        ref={inputRef}
        data-testid="composer"
        dir="auto"
        rows={1}
        aria-label={t('chat.message')}
        aria-describedby={hintId}
        placeholder={
          props.modelName ? t('chat.message_to', { model: props.modelName }) : t('chat.message')
        }
        value={draft}
        onChange={(event) => props.onDraft(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={props.onPaste}
      />
      <div className="composer-bar">
        {props.tools}
        <span id={hintId} className="composer-hint" data-reason={blocked ? '' : undefined}>
          {blocked ?? (
            <span className="composer-keys">
              {running ? t('chat.keys_stop') : sendKeys(send_with)}
            </span>
          )}
        </span>
        {running ? (
          <Hint label={t('chat.stop')} keys="Esc">
            <button
              type="button"
              className="send"
              data-kind="stop"
              data-testid="stop"
              aria-label={t('chat.stop')}
              onClick={props.onStop}
            >
              <Square size={13} fill="currentColor" aria-hidden="true" />
            </button>
          </Hint>
        ) : (
          <button
            type="button"
            className="send"
            data-testid="send"
            aria-label={t('chat.send')}
            disabled={!canSend}
            onClick={send}
          >
            <ArrowUp size={19} strokeWidth={2.25} aria-hidden="true" />
          </button>
        )}
      </div>
    </div>
  );
}
