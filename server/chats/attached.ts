/** What a model is told of the files of a question: each fenced, so that it sees where a file begins and ends. Pure. */
import type { Attachment } from '../../protocol/attachments.js';
import { PAGE_MARK } from '../../protocol/extract.js';
import { IMAGE_BYTES_MAX, IMAGES_MAX } from '../request/images.js';

export interface AttachedFiles {
  /** By id: the text of a file, or the data: URL of a picture. One that is missing here is gone from the disk. */
  contents: ReadonlyMap<string, string>;
  /** Whether the model is shown pictures. */
  sees: boolean;
}

/** Only what the files are called is told. */
export const NO_FILES: AttachedFiles = { contents: new Map(), sees: false };

/** Of all files of a question, before its words. */
export function fencedFiles(attachments: readonly Attachment[], files: AttachedFiles): string {
  return attachments.map((attachment) => fencedFile(attachment, files)).join('\n\n');
}

export function fencedFile(attachment: Attachment, { contents, sees }: AttachedFiles): string {
  const { id, kind, pages, first_pages: first } = attachment;
  const name = attachment.name.replace(/[\p{Cc}\p{Zl}\p{Zp}"]+/gu, ' ').trim();
  const content = contents.get(id);
  if (kind === 'image') {
    return sees && content !== undefined
      ? `[Attached picture: "${name}"]`
      : `[Attached picture, which you cannot see: "${name}"]`;
  }
  if (content === undefined) return `[Attached file: "${name}"]`;
  if (content.replaceAll(PAGE_MARK, '').trim() === '') {
    return `[Attached file that no text could be taken out of: "${name}"]`;
  }
  const text = pages === null ? content : withPageMarks(content);
  const part = first === null ? '' : ` pages="1-${first} of ${pages}"`;
  const mark = markFor(text);
  return `<${mark} name="${name}"${part}>\n${text.trimEnd()}\n</${mark}>`;
}

/**
 * Ids of the pictures of a branch that one request has room for, the latest first: it takes so many of them, and so many
 * bytes with all else. Of older ones the name is told.
 * @param attachments Of the whole branch, oldest first.
 */
export function picturesWithRoom(attachments: readonly Attachment[]): Set<string> {
  const shown = new Set<string>();
  let count = 0;
  let bytes = 0;
  for (const { id, kind, bytes: size } of attachments.toReversed()) {
    if (kind !== 'image') continue;
    count += 1;
    bytes += size;
    if (count > IMAGES_MAX || bytes > IMAGE_BYTES_MAX) break;
    shown.add(id);
  }
  return shown;
}

/** Pictures that the model is shown, as data: URLs. */
export function shownPictures(
  attachments: readonly Attachment[],
  { contents, sees }: AttachedFiles,
): string[] {
  if (!sees) return [];
  return attachments.flatMap(({ id, kind }) => (kind === 'image' ? (contents.get(id) ?? []) : []));
}

function withPageMarks(text: string): string {
  return text
    .split(PAGE_MARK)
    .map((page, i) => `[Page ${i + 1}]\n${page}`)
    .join('\n\n');
}

/** A name for the fence that the text itself cannot close. */
function markFor(text: string): string {
  let mark = 'file';
  for (let i = 1; text.includes(`</${mark}`); i++) mark = `file-${i}`;
  return mark;
}
