/** What is said of an attachment beside its name. */
import type { Attachment } from '../../protocol/attachments.js';
import { t } from '../i18n/i18n.js';
import { formatBytes, formatTokens } from '../shell/format.js';

/** @param tokens That its text takes; null: not known. */
export function detailOf(attachment: Attachment, tokens: number | null = null): string {
  const { pages, first_pages: first, width, height, bytes } = attachment;
  const parts: string[] = [];
  if (pages !== null) {
    parts.push(
      first === null
        ? t('attachments.pages', { n: pages })
        : t('attachments.first_pages', { first, n: pages }),
    );
  }
  if (width !== null && height !== null) {
    parts.push(t('attachments.picture_size', { width, height }));
  }
  parts.push(tokens === null ? formatBytes(bytes) : formatTokens(tokens));
  return parts.join(' · ');
}

/** What the person should know of it; null: nothing. @param blind Name of a model that cannot see it. */
export function warningOf({ notice, kind }: Attachment, blind: string | null): string | null {
  if (kind === 'image') return blind === null ? null : t('attachments.blind', { model: blind });
  return notice === null ? null : t(`attachments.${notice}`);
}
