import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import type { ImportPreview, RefusedChat } from '../../protocol/transfer.js';
import { messageOf } from '../api/error.js';
import { transferApi } from '../api/transfer.js';
import { currentLanguage, t } from '../i18n/i18n.js';
import { DismissNotice, ShowNotice, useAct } from '../shell/act.js';
import { FileButton } from './file-button.js';

export const CHAT_FILES = '.json,.md,.zip,application/json,text/markdown,application/zip';

const PROGRAMS: Record<ImportPreview['format'], string> = {
  pilotlight: 'Pilotlight',
  markdown: 'Pilotlight',
  chatgpt: 'ChatGPT',
  'lm-studio': 'LM Studio',
  'open-webui': 'Open WebUI',
};

type Step =
  | { kind: 'reading' }
  | { kind: 'preview'; preview: ImportPreview }
  | { kind: 'running' }
  | { kind: 'failed'; reason: string };

interface ImportDialogProps {
  /** Null: nothing is brought in. */
  file: File | null;
  onFile: (file: File | null) => void;
}

/** Looks into a file, says what it would bring, and brings it in. */
export function ImportDialog({ file, onFile }: ImportDialogProps) {
  // What is shown while it closes.
  const [shown, setShown] = useState(file);
  if (file !== null && file !== shown) setShown(file);
  const close = () => onFile(null);
  return (
    <Dialog.Root open={file !== null} onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          {shown && <ImportSteps key={keyOf(shown)} file={shown} onFile={onFile} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const keyOf = ({ name, size, lastModified }: File) => `${name}:${size}:${lastModified}`;

function ImportSteps({ file, onFile }: { file: File; onFile: (file: File | null) => void }) {
  const [step, setStep] = useState<Step>({ kind: 'reading' });
  const [copies, setCopies] = useState(false);
  const show = useContext(ShowNotice);
  const dismiss = useContext(DismissNotice);
  const act = useAct();
  useEffect(() => {
    let isLeft = false;
    transferApi.previewImport(file).then(
      (preview) => {
        if (isLeft) void transferApi.dropImport(preview.id).catch(() => {});
        else setStep({ kind: 'preview', preview });
      },
      (cause: unknown) => !isLeft && setStep({ kind: 'failed', reason: messageOf(cause) }),
    );
    return () => {
      isLeft = true;
    };
  }, [file]);

  const run = async ({ id }: ImportPreview) => {
    setStep({ kind: 'running' });
    try {
      const { imported, refused } = await transferApi.runImport(id, copies ? 'copy' : 'skip');
      const undo = {
        label: t('common.undo'),
        run: () => {
          dismiss('import');
          void act('import', () => transferApi.undoImport(id));
        },
      };
      const [first] = refused;
      const reason = first === undefined ? '' : ` ${first.reason}`;
      show({
        ...{ id: 'import', tone: refused.length > 0 ? 'bad' : 'info' },
        text: `${t('transfer.imported', { n: imported })}${reason}`,
        ...(imported > 0 ? { action: undo } : {}),
      });
      onFile(null);
    } catch (cause) {
      setStep({ kind: 'failed', reason: messageOf(cause) });
    }
  };
  const cancel = () => {
    if (step.kind === 'preview') void transferApi.dropImport(step.preview.id).catch(() => {});
    onFile(null);
  };

  if (step.kind === 'reading' || step.kind === 'running') {
    const text =
      step.kind === 'reading'
        ? t('transfer.reading', { name: file.name })
        : t('transfer.importing');
    return (
      <>
        <Dialog.Title>{t('transfer.import')}</Dialog.Title>
        <p role="status" dir="auto">
          {text}
        </p>
        <div className="dialog-actions">
          <button
            type="button"
            className="button"
            disabled={step.kind === 'running'}
            onClick={cancel}
          >
            {t('common.cancel')}
          </button>
        </div>
      </>
    );
  }
  if (step.kind === 'failed') {
    return (
      <Failed title={t('transfer.failed')} reason={step.reason}>
        <button type="button" className="button" onClick={cancel}>
          {t('common.close')}
        </button>
        <FileButton accept={CHAT_FILES} onFile={onFile} testId="import-another">
          {t('transfer.another')}
        </FileButton>
      </Failed>
    );
  }
  const { preview } = step;
  const fresh = copies ? preview.chats : preview.chats - preview.known;
  return (
    <>
      <Dialog.Title>{t('transfer.preview', { n: preview.chats })}</Dialog.Title>
      <Dialog.Description dir="auto">{sourceOf(preview)}</Dialog.Description>
      <Titles titles={preview.titles} more={preview.chats > preview.titles.length} />
      {preview.known > 0 && (
        <>
          <p>{t('transfer.known', { n: preview.known })}</p>
          <label className="check">
            <input type="checkbox" checked={copies} onChange={() => setCopies(!copies)} />
            {t('transfer.copies')}
          </label>
        </>
      )}
      {preview.left > 0 && <p>{t('transfer.left', { n: preview.left })}</p>}
      <Refused refused={preview.refused} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={cancel}>
          {t('common.cancel')}
        </button>
        <button
          type="button"
          className="button"
          data-kind="primary"
          data-testid="run-import"
          disabled={fresh === 0}
          onClick={() => void run(preview)}
        >
          {t('transfer.do_import')}
        </button>
      </div>
    </>
  );
}

function sourceOf({ format, first_at, last_at, messages }: ImportPreview): string {
  return t('transfer.from', {
    program: PROGRAMS[format],
    dates: datesText(first_at, last_at),
    n: messages,
  });
}

export function dateText(ms: number): string {
  return dateFormat().format(ms);
}

/** A day, or the first to the last. */
function datesText(first: number | null, last: number | null): string {
  return first === null || last === null ? '–' : dateFormat().formatRange(first, last);
}

function dateFormat(): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'medium' });
}

function Titles({ titles, more }: { titles: readonly string[]; more: boolean }) {
  if (titles.length === 0) return null;
  return (
    <ul className="dialog-files">
      {titles.map((title, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and titles may be alike
        <li key={index} dir="auto">
          {title}
        </li>
      ))}
      {more && <li aria-hidden="true">…</li>}
    </ul>
  );
}

function Refused({ refused }: { refused: readonly RefusedChat[] }) {
  if (refused.length === 0) return null;
  return (
    <details className="refused">
      <summary>{t('transfer.refused', { n: refused.length })}</summary>
      <ul className="dialog-files">
        {refused.map(({ title, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and titles may be alike
          <li key={index} dir="auto">
            {title}: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function Failed(props: { title: string; reason: string; children: ReactNode }) {
  return (
    <>
      <Dialog.Title>{props.title}</Dialog.Title>
      <p className="field-error" role="alert" dir="auto">
        {props.reason}
      </p>
      <div className="dialog-actions">{props.children}</div>
    </>
  );
}
