import { SquarePen } from 'lucide-react';
import type { ReactNode } from 'react';
import { Flame } from './flame.js';
import { Hint } from './icon-button.js';
import { newChatKeys } from './keys.js';

interface HeaderProps {
  picker: ReactNode;
  more: ReactNode;
  /** False while the chat is new already. */
  canStartNew: boolean;
  onNewChat: () => void;
}

export function Header({ picker, more, canStartNew, onNewChat }: HeaderProps) {
  return (
    <header className="header">
      <span className="header-mark">
        <Flame size={24} />
      </span>
      {picker}
      <span className="header-space" />
      <Hint label="New chat" keys={newChatKeys}>
        <button
          type="button"
          className="new-chat"
          aria-label="New chat"
          data-testid="new-chat"
          disabled={!canStartNew}
          onClick={onNewChat}
        >
          <SquarePen size={17} aria-hidden="true" />
          <span>New chat</span>
        </button>
      </Hint>
      {more}
    </header>
  );
}
