import { useEffect, useState } from 'react';
import type { Attachment } from '../../protocol/attachments.js';
import { attachmentsApi } from '../api/attachments.js';
import { messageOf } from '../api/error.js';

/** Address of a picture within this page; null until it is there. A plain address could not send the key. */
export function usePicture({ id, kind }: Attachment): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (kind !== 'image') return;
    const abort = new AbortController();
    let made: string | null = null;
    attachmentsApi.file(id, abort.signal).then(
      (blob) => {
        if (abort.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setAddress(made);
      },
      // Its icon is shown.
      () => {},
    );
    return () => {
      abort.abort();
      if (made !== null) URL.revokeObjectURL(made);
      setAddress(null);
    };
  }, [id, kind]);
  return address;
}

type Text =
  | { state: 'loading' }
  | { state: 'here'; text: string }
  | { state: 'failed'; why: string };

/** The text of an attachment that has one. */
export function useText({ id, kind }: Attachment): Text {
  const [text, setText] = useState<Text>({ state: 'loading' });
  useEffect(() => {
    if (kind !== 'text') return;
    const abort = new AbortController();
    setText({ state: 'loading' });
    attachmentsApi.text(id, abort.signal).then(
      (whole) => !abort.signal.aborted && setText({ state: 'here', text: whole }),
      (cause: unknown) =>
        !abort.signal.aborted && setText({ state: 'failed', why: messageOf(cause) }),
    );
    return () => abort.abort();
  }, [id, kind]);
  return text;
}
