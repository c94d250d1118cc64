import { useEffect, useRef, useState } from 'react';
import { ATTACHMENTS_MAX, type Attachment } from '../../protocol/attachments.js';
import { attachmentsApi } from '../api/attachments.js';
import { chatsApi } from '../api/chats.js';
import type { OpenChat } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import type { Notice } from '../shell/notices.js';
import { useStore } from '../shell/use-store.js';
import { asReadable, type Brought } from './bring-files.js';
import { DraftFiles } from './draft-files.js';

interface Surroundings {
  /** Id of the chat that is shown, which is made where there is none yet. */
  place: () => Promise<string>;
  show: (notice: Notice) => void;
}

/** What is attached in the chat with this id (null: a new one); `chat` is what the server tells of it, once it does. */
export function useDraftFiles(id: string | null, chat: OpenChat | null, around: Surroundings) {
  const latest = useRef(around);
  latest.current = around;
  const tell = (text: string) => latest.current.show({ id: 'attachments', tone: 'info', text });
  const [files] = useState(
    () =>
      new DraftFiles({
        place: () => latest.current.place(),
        upload: async (file, options) => attachmentsApi.upload(await asReadable(file), options),
        save: chatsApi.saveAttachments,
        firstPages: attachmentsApi.firstPages,
        onKnown: ({ name }: Attachment) => tell(t('attachments.already', { name })),
      }),
  );
  const { attached, incoming, latest: last } = useStore(files);
  const told = chat?.draft_attachments;
  const of = chat?.id;
  useEffect(() => files.show(id), [files, id]);
  useEffect(() => {
    if (of !== undefined && told !== undefined) files.told(of, told);
  }, [files, of, told]);

  const bring = ({ files: brought, hasFolders }: Brought) => {
    const { attached: there, incoming: coming } = files.snapshot();
    const room = ATTACHMENTS_MAX - there.length - coming.length;
    if (hasFolders) tell(t('attachments.folder'));
    if (brought.length > room) tell(t('attachments.too_many', { n: ATTACHMENTS_MAX }));
    files.add(brought.slice(0, Math.max(0, room)));
  };
  return { files, attached, incoming, last, bring };
}
