/** Calls about attachments; each throws an ApiError that says why not. */
import {
  type Attachment,
  attachmentSchema,
  type QuestionCount,
  questionCountSchema,
} from '../../protocol/attachments.js';
import { t } from '../i18n/i18n.js';
import { ApiError } from './error.js';
import { readJson, refusal, request, sendJson } from './http.js';
import { currentKey } from './key.js';

const ROOT = '/pilotlight/attachments';
const pathOf = (id: string) => `${ROOT}/${encodeURIComponent(id)}`;

export interface UploadOptions {
  /** 0..1 */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** A file on its way, and what the server makes of it. */
export type Upload = (file: File, options: UploadOptions) => Promise<Attachment>;

export const attachmentsApi = {
  /** By the older way of browsers, because fetch() does not tell how far a body has gone. */
  upload: async (file: File, { onProgress, signal }: UploadOptions): Promise<Attachment> => {
    const key = await currentKey();
    const sending = new XMLHttpRequest();
    sending.open('POST', `${ROOT}?name=${encodeURIComponent(file.name)}`);
    sending.setRequestHeader('content-type', 'application/octet-stream');
    if (key) sending.setRequestHeader('authorization', `Bearer ${key}`);
    sending.upload.onprogress = ({ loaded, total }) => total > 0 && onProgress(loaded / total);
    const ended = new Promise<Response>((resolve, reject) => {
      sending.onload = () =>
        resolve(new Response(sending.responseText, { status: sending.status }));
      sending.onerror = () => reject(new ApiError('unreachable', t('errors.no_answer')));
      sending.onabort = () => reject(signal.reason);
    });
    const abort = () => sending.abort();
    signal.addEventListener('abort', abort);
    try {
      signal.throwIfAborted();
      sending.send(file);
      const response = await ended;
      if (!response.ok) throw await refusal(response);
      return await readJson(attachmentSchema, response);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  },

  async firstPages(id: string, first: number): Promise<Attachment> {
    return readJson(attachmentSchema, await sendJson('POST', `${pathOf(id)}/pages`, { first }));
  },

  async text(id: string, signal: AbortSignal): Promise<string> {
    return (await request(`${pathOf(id)}/text`, { signal })).text();
  },

  async file(id: string, signal?: AbortSignal): Promise<Blob> {
    return (await request(`${pathOf(id)}/file`, signal ? { signal } : {})).blob();
  },

  /** What a question would take of its model. */
  async count(
    chat: string,
    question: { parent_id: string | null; text: string; attachments: string[]; model?: string },
    signal: AbortSignal,
  ): Promise<QuestionCount> {
    const path = `/pilotlight/chats/${encodeURIComponent(chat)}/count`;
    return readJson(questionCountSchema, await sendJson('POST', path, question, signal));
  },
};
