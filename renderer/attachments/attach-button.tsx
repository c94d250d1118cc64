import { Paperclip } from 'lucide-react';
import { useCallback, useRef } from 'react';
import { t } from '../i18n/i18n.js';
import { keysOf } from '../shell/commands.js';
import { IconButton } from '../shell/icon-button.js';
import { useCommand } from '../shell/use-command.js';

interface AttachButtonProps {
  /** Whether the chat is what the window shows. */
  active: boolean;
  onFiles: (files: File[]) => void;
}

/** Lets files be chosen. */
export function AttachButton({ active, onFiles }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const choose = useCallback(() => input.current?.click(), []);
  useCommand('attach-files', active ? choose : null);
  return (
    <>
      <IconButton
        size="small"
        data-testid="attach"
        label={t('attachments.attach')}
        icon={<Paperclip size={17} aria-hidden="true" />}
        keys={keysOf('attach-files')}
        onClick={choose}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-testid="attach-files"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          // The same file may be chosen again.
          event.target.value = '';
          onFiles(files);
        }}
      />
    </>
  );
}
