import { type KeyboardEvent, useEffect, useRef } from 'react';
import { t } from '../i18n/i18n.js';
import { usePreferences } from '../preferences/preferences.js';
import { sends } from './sends.js';
import { useAutoGrow } from './use-auto-grow.js';

interface MessageEditorProps {
  label: string;
  /** What the button says that ends it. */
  done: string;
  /** Enter ends it as it sends a message; else it is a line break, and Enter with Ctrl or Command ends it. */
  enterEnds: boolean;
  text: string;
  /** It says something without words too. */
  mayBeEmpty?: boolean;
  onText: (text: string) => void;
  onCancel: () => void;
  onDone: () => void;
}

/** A message's words, in a field in its place. */
export function MessageEditor(props: MessageEditorProps) {
  const { text, enterEnds, mayBeEmpty = false, onCancel, onDone } = props;
  const canEnd = mayBeEmpty || text.trim() !== '';
  const { send_with } = usePreferences();
  const area = useRef<HTMLTextAreaElement>(null);
  useAutoGrow(area, text);
  useEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length);
  }, []);
  const end = () => canEnd && onDone();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.nativeEvent.isComposing && event.keyCode !== 229) {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (sends(event, enterEnds ? send_with : 'mod_enter')) {
      event.preventDefault();
      end();
    }
  };
  return (
    <div className="edit">
      <textarea
        ref={area}
        dir="auto"
        rows={1}
        aria-label={props.label}
        value={text}
        onChange={(event) => props.onText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="edit-actions">
        <button type="button" className="button" data-size="small" onClick={onCancel}>
          {t('common.cancel')}
        </button>
        <button
          type="button"
          className="button"
          data-kind="primary"
          data-size="small"
          disabled={!canEnd}
          onClick={end}
        >
          {props.done}
        </button>
      </div>
    </div>
  );
}
