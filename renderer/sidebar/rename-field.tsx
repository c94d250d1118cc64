import { type KeyboardEvent, useEffect, useRef } from 'react';
import { TITLE_LENGTH_MAX } from '../../protocol/chats.js';

interface RenameFieldProps {
  label: string;
  value: string;
  /** A name; null: it stays as it is. `byKey`: the focus was still in the field. */
  onEnd: (name: string | null, byKey: boolean) => void;
}

/** A name that is being changed in its place. Enter and leaving it keep what was written, Escape does not. */
export function RenameField({ label, value, onEnd }: RenameFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const ended = useRef(false);
  useEffect(() => input.current?.select(), []);
  const end = (keep: boolean, byKey: boolean) => {
    if (ended.current) return;
    ended.current = true;
    const name = input.current?.value.trim() ?? '';
    onEnd(keep && name !== value.trim() ? name : null, byKey);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    end(event.key === 'Enter', true);
  };
  return (
    <input
      ref={input}
      className="rename-field"
      // biome-ignore lint/a11y/noAutofocus: it was asked for, in this place
      autoFocus
      dir="auto"
      aria-label={label}
      defaultValue={value}
      maxLength={TITLE_LENGTH_MAX}
      spellCheck={false}
      data-testid="rename-field"
      onKeyDown={onKeyDown}
      onBlur={() => end(true, false)}
    />
  );
}
