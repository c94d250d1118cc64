/** What is taken out of a file that somebody attaches. */
import type { AttachmentNotice } from './attachments.js';

/** Why nothing can be. */
export type ExtractErrorCode =
  | 'unsupported_file'
  | 'encrypted_file'
  | 'unreadable_file'
  | 'file_too_complex';

export interface ExtractFailure {
  code: ExtractErrorCode;
  /** A sentence for people. */
  message: string;
}

/** Between two pages of a text: form feed, which nothing else in it is. */
export const PAGE_MARK = '\f';

export interface ExtractedContent {
  /** Such as "application/pdf". */
  mediaType: string;
  kind: 'text' | 'image';
  /** Null: an image. */
  text: string | null;
  pages: number | null;
  /** Pixels, of an image. */
  width: number | null;
  height: number | null;
  notice: AttachmentNotice | null;
}
