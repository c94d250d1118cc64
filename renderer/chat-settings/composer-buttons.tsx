import { Columns2, SlidersHorizontal } from 'lucide-react';
import type { AnswerMessage } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';
import { keysOf } from '../shell/commands.js';
import { IconButton } from '../shell/icon-button.js';
import { ContextBar } from './context-bar.js';

interface ComposerButtonsProps {
  /** The last one of the branch that is shown. */
  answer: AnswerMessage | null;
  canCompare: boolean;
  onSettings: () => void;
  onCompare: () => void;
}

/** What of the chat's settings is at hand while one writes. */
export function ComposerButtons(props: ComposerButtonsProps) {
  return (
    <>
      <IconButton
        label={t('chat_settings.open')}
        keys={keysOf('chat-settings')}
        size="small"
        icon={<SlidersHorizontal size={16} aria-hidden="true" />}
        data-testid="open-chat-settings"
        onClick={props.onSettings}
      />
      {props.canCompare && (
        <IconButton
          label={t('chat_settings.compare')}
          size="small"
          icon={<Columns2 size={16} aria-hidden="true" />}
          data-testid="start-compare"
          onClick={props.onCompare}
        />
      )}
      <ContextBar answer={props.answer} />
    </>
  );
}
