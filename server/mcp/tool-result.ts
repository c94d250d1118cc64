/** What a tool answers → the text that a model reads. Pure. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';

/** Characters: beyond any context that a model here has, and little enough to keep in a chat. */
export const RESULT_MAX = 200_000;

export interface ToolAnswer {
  text: string;
  /** By the tool's own word. */
  isError: boolean;
}

/** What a model cannot read is named in its place, so that it can tell the person. */
export function toAnswer({ content, structuredContent, isError }: CallToolResult): ToolAnswer {
  const told = content.map(blockText).join('\n');
  // Servers should send the same as text too; some do not.
  const text =
    told === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : told;
  return { text: cut(text), isError: isError === true };
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return notShown('An image', block.mimeType, block.data.length);
    case 'audio':
      return notShown('A recording', block.mimeType, block.data.length);
    case 'resource_link':
      return `[A link to ${block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : notShown(block.resource.uri, block.resource.mimeType, block.resource.blob.length);
  }
}

/** @param length Of its base64 text. */
function notShown(what: string, mediaType: string | undefined, length: number): string {
  const bytes = Math.floor((length * 3) / 4);
  return `[${what} that cannot be shown here: ${mediaType ?? 'of an unknown type'}, ${bytes} bytes]`;
}

/** Never between the halves of a character. */
function cut(text: string): string {
  const whole = text.replace(/\p{Cs}/gu, '\ufffd');
  if (whole.length <= RESULT_MAX) return whole;
  const end = /[\uD800-\uDBFF]/.test(whole.charAt(RESULT_MAX - 1)) ? RESULT_MAX - 1 : RESULT_MAX;
  return `${whole.slice(0, end)}\n[Cut here: the result has ${whole.length} characters, of which the first ${end} are shown.]`;
}
