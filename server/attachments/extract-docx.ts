/** The text of a Word document, as Markdown. Its pictures stay out, and nothing that it names is fetched. */
import mammoth from 'mammoth';
import Turndown from 'turndown';
import { damaged, unpack } from './archives.js';

/** @throws ExtractError */
export async function extractDocx(file: string): Promise<string> {
  try {
    await unpack(file);
    const { value } = await mammoth.convertToHtml(
      { path: file },
      {
        externalFileAccess: false,
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      },
    );
    return markdown.turndown(value);
  } catch (error) {
    throw damaged(error);
  }
}

/** A table stays as it is: cells may have anything in them. */
const markdown = new Turndown({
  ...{ headingStyle: 'atx', bulletListMarker: '-', codeBlockStyle: 'fenced' },
})
  .remove('img')
  .keep(['table']);
