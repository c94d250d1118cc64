import type { Attachment } from '../../protocol/attachments.js';

/** A text of this name, which is its id too. */
export function testAttachment(name: string, more: Partial<Attachment> = {}): Attachment {
  return {
    ...{ id: name, name, media_type: 'text/plain', kind: 'text', bytes: 5, characters: 5 },
    ...{ pages: null, first_pages: null, width: null, height: null, notice: null },
    ...more,
  };
}
