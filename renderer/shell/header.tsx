import { Boxes, SquarePen } from 'lucide-react';
import type { ReactNode } from 'react';
import { Flame } from './flame.js';
import { Hint } from './icon-button.js';
import { newChatKeys } from './keys.js';
import { routeHash } from './route.js';

interface HeaderProps {
  picker: ReactNode;
  more: ReactNode;
  /** False while the models page is shown. */
  inChat: boolean;
  /** False while the chat is new already. */
  canStartNew: boolean;
  onNewChat: () => void;
}

export function Header({ picker, more, inChat, canStartNew, onNewChat }: HeaderProps) {
  return (
    <header className="header">
      <span className="header-mark">
        <Flame size={24} />
      </span>
      {picker}
      <span className="header-space" />
      <Hint label="Models">
        <a
          className="header-button"
          href={routeHash({ page: 'models', tab: 'installed', item: null })}
          aria-current={inChat ? undefined : 'page'}
          data-testid="models"
        >
          <Boxes size={17} aria-hidden="true" />
          <span>Models</span>
        </a>
      </Hint>
      <Hint label="New chat" keys={newChatKeys}>
        <button
          type="button"
          className="header-button"
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
