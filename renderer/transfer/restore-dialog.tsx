import { Dialog } from '@base-ui/react/dialog';
import { useContext, useEffect, useState } from 'react';
import type { RestorePreview } from '../../protocol/transfer.js';
import { messageOf } from '../api/error.js';
import { transferApi } from '../api/transfer.js';
import { t } from '../i18n/i18n.js';
import { ShowNotice } from '../shell/act.js';
import { dateText, Failed } from './import-dialog.js';

type Step =
  | { kind: 'reading' }
  | { kind: 'preview'; preview: RestorePreview }
  | { kind: 'running' }
  | { kind: 'failed'; reason: string };

interface RestoreDialogProps {
  /** Null: nothing is restored. */
  file: File | null;
  onClose: () => void;
}

/** Checks a backup, says what it would replace, and puts it in its place. */
export function RestoreDialog({ file, onClose }: RestoreDialogProps) {
  // What is shown while it closes.
  const [shown, setShown] = useState(file);
  if (file !== null && file !== shown) setShown(file);
  return (
    <Dialog.Root open={file !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          {shown && <RestoreSteps file={shown} onClose={onClose} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function RestoreSteps({ file, onClose }: { file: File; onClose: () => void }) {
  const [step, setStep] = useState<Step>({ kind: 'reading' });
  const show = useContext(ShowNotice);
  useEffect(() => {
    let isLeft = false;
    transferApi.previewRestore(file).then(
      (preview) => !isLeft && setStep({ kind: 'preview', preview }),
      (cause: unknown) => !isLeft && setStep({ kind: 'failed', reason: messageOf(cause) }),
    );
    return () => {
      isLeft = true;
    };
  }, [file]);
  const run = async ({ id }: RestorePreview) => {
    setStep({ kind: 'running' });
    try {
      const { kept_aside: path } = await transferApi.runRestore(id);
      show({ id: 'restore', tone: 'info', text: t('transfer.restored', { path }) });
      onClose();
    } catch (cause) {
      setStep({ kind: 'failed', reason: messageOf(cause) });
    }
  };
  switch (step.kind) {
    case 'reading':
    case 'running':
      return (
        <>
          <Dialog.Title>{t('transfer.do_restore')}</Dialog.Title>
          <p role="status" dir="auto">
            {step.kind === 'reading'
              ? t('transfer.reading', { name: file.name })
              : t('transfer.restoring')}
          </p>
        </>
      );
    case 'failed':
      return (
        <Failed title={t('transfer.restore_failed')} reason={step.reason}>
          <Dialog.Close className="button">{t('common.close')}</Dialog.Close>
        </Failed>
      );
    case 'preview': {
      const { created_at, chats, chats_now } = step.preview;
      return (
        <>
          <Dialog.Title>{t('transfer.restore_title', { date: dateText(created_at) })}</Dialog.Title>
          <Dialog.Description>
            {t('transfer.restore_text', { chats, now: chats_now })}
          </Dialog.Description>
          <div className="dialog-actions">
            <Dialog.Close className="button">{t('common.cancel')}</Dialog.Close>
            <button
              type="button"
              className="button"
              data-kind="danger"
              data-testid="run-restore"
              onClick={() => void run(step.preview)}
            >
              {t('transfer.do_restore')}
            </button>
          </div>
        </>
      );
    }
  }
}
