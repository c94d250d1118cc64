import { Pencil } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { CopyIconButton } from '../shell/copy-button.js';
import { IconButton } from '../shell/icon-button.js';
import { useAutoGrow } from './use-auto-grow.js';

interface QuestionProps {
  text: string;
  /** The last question can be edited and asked again. */
  onEdit: ((text: string) => void) | null;
}

/** What the person asked. */
export function Question({ text, onEdit }: QuestionProps) {
  const [editing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) editButton.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  return (
    <div className="question" data-testid="message-user">
      <h2 className="hidden-visually">You asked</h2>
      {editing && onEdit ? (
        <QuestionEditor
          text={text}
          onCancel={() => setEditing(false)}
          onSend={(changed) => {
            setEditing(false);
            onEdit(changed);
          }}
        />
      ) : (
        <>
          <div className="bubble" data-long={text.includes('\n') ? '' : undefined}>
            {text}
          </div>
          <div className="actions" data-quiet="">
            <CopyIconButton text={text} label="Copy question" />
            {onEdit && (
              <IconButton
                ref={editButton}
                size="small"
                label="Edit and ask again"
                icon={<Pencil size={15} aria-hidden="true" />}
                onClick={() => setEditing(true)}
              />
            )}
          </div>
        </>
      )}
    </div>
  );
}

function QuestionEditor(props: {
  text: string;
  onCancel: () => void;
  onSend: (text: string) => void;
}) {
  const [text, setText] = useState(props.text);
  const area = useRef<HTMLTextAreaElement>(null);
  useAutoGrow(area, text);
  useEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length);
  }, []);
  const send = () => text.trim() !== '' && props.onSend(text.trim());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      props.onCancel();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  };
  return (
    <div className="edit">
      <textarea
        ref={area}
        dir="auto"
        rows={1}
        aria-label="Edit the question"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="edit-actions">
        <button type="button" className="button" data-size="small" onClick={props.onCancel}>
          Cancel
        </button>
        <button
          type="button"
          className="button"
          data-kind="primary"
          data-size="small"
          disabled={text.trim() === ''}
          onClick={send}
        >
          Ask again
        </button>
      </div>
    </div>
  );
}
