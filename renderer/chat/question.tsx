import { Pencil } from 'lucide-react';
import { memo, useContext } from 'react';
import type { UserMessage } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';
import { useLanguage } from '../i18n/use-language.js';
import { CopyIconButton } from '../shell/copy-button.js';
import { IconButton } from '../shell/icon-button.js';
import { AttachmentRow } from './attachment-row.js';
import { BranchSwitch } from './branch-switch.js';
import { MessageEditor } from './message-editor.js';
import { MessageMenu } from './message-menu.js';
import { Actions } from './thread-actions.js';
import { useReturningFocus } from './use-returning-focus.js';

interface QuestionProps {
  message: UserMessage;
  branches: readonly string[];
  /** Its words while they are changed, else null. */
  edited: string | null;
  /** Nothing of the chat is being written. */
  canAsk: boolean;
}

/** What the person asked. */
export const Question = memo(function Question(props: QuestionProps) {
  useLanguage();
  const { message, branches, edited, canAsk } = props;
  const { id, text } = message;
  const actions = useContext(Actions);
  const editButton = useReturningFocus(edited !== null);
  return (
    <div className="question" data-testid="message-user" data-message={id}>
      <h2 className="hidden-visually">{t('chat.you_asked')}</h2>
      <AttachmentRow attachments={message.attachments} />
      {edited !== null ? (
        <MessageEditor
          label={t('chat.edit_question')}
          done={t('chat.ask_again')}
          enterEnds={true}
          mayBeEmpty={message.attachments.length > 0}
          text={edited}
          onText={(changed) => actions.onEditing({ id, text: changed })}
          onCancel={() => actions.onEditing(null)}
          onDone={() => actions.onEdited(message, edited.trim())}
        />
      ) : (
        <>
          {text !== '' && (
            <div className="bubble" data-text="" data-long={text.includes('\n') ? '' : undefined}>
              {text}
            </div>
          )}
          <div className="actions" data-quiet={branches.length < 2 ? '' : undefined}>
            <BranchSwitch id={id} branches={branches} onBranch={actions.onBranch} />
            <CopyIconButton text={text} label={t('chat.copy_question')} />
            <IconButton
              ref={editButton}
              size="small"
              label={t('chat.edit_question')}
              icon={<Pencil size={15} aria-hidden="true" />}
              disabled={!canAsk}
              onClick={() => actions.onEditing({ id, text })}
            />
            <MessageMenu id={id} canDelete={canAsk} />
          </div>
        </>
      )}
    </div>
  );
});
