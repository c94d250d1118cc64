import { ArrowUp, Square } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useId } from 'react';
import { Hint } from '../shell/icon-button.js';
import { useAutoGrow } from './use-auto-grow.js';

interface ComposerProps {
  inputRef: RefObject<HTMLTextAreaElement | null>;
  draft: string;
  onDraft: (draft: string) => void;
  modelName: string | null;
  running: boolean;
  /** Why nothing can be sent, or null. */
  blocked: string | null;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** Where the person writes. Enter sends, except while an input method composes. */
export function Composer(props: ComposerProps) {
  const { inputRef, draft, running, blocked } = props;
  const hintId = useId();
  useAutoGrow(inputRef, draft);
  const canSend = !running && blocked === null && draft.trim() !== '';
  const send = () => canSend && props.onSend(draft.trim());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    // 229: Safari ends a composition before the Enter that ended it arrives.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    send();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a bigger target for the pointer; the keyboard has the field
    <div className="composer" onClick={() => inputRef.current?.focus()}>
      <textarea
        ref={inputRef}
        data-testid="composer"
        dir="auto"
        rows={1}
        aria-label="Message"
        aria-describedby={hintId}
        placeholder={props.modelName ? `Message ${props.modelName}` : 'Message'}
        value={draft}
        onChange={(event) => props.onDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="composer-bar">
        <span id={hintId} className="composer-hint" data-reason={blocked ? '' : undefined}>
          {blocked ?? (
            <span className="composer-keys">
              {running ? 'Esc to stop' : 'Enter to send, Shift+Enter for a new line'}
            </span>
          )}
        </span>
        {running ? (
          <Hint label="Stop" keys="Esc">
            <button
              type="button"
              className="send"
              data-kind="stop"
              data-testid="stop"
              aria-label="Stop"
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
            aria-label="Send"
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
