/** The text of a PDF, in reading order, page by page. Nothing in it is run or fetched. */
import { readFile } from 'node:fs/promises';
import { getDocumentProxy } from 'unpdf';
import { ATTACHMENT_TEXT_MAX } from '../../protocol/attachments.js';
import { PAGE_MARK } from '../../protocol/extract.js';
import { ExtractError } from './extract-error.js';

export interface PdfText {
  pages: number;
  /** Each behind the one before it and a page mark. */
  text: string;
  /** Of those that were read. */
  pagesWithoutText: number;
  isCut: boolean;
}

/** @throws ExtractError */
export async function extractPdf(file: string): Promise<PdfText> {
  try {
    const document = await getDocumentProxy(new Uint8Array(await readFile(file)), {
      ...{ isEvalSupported: false, disableFontFace: true, useSystemFonts: false, verbosity: 0 },
    });
    const pages: string[] = [];
    let characters = 0;
    for (let i = 1; i <= document.numPages && characters <= ATTACHMENT_TEXT_MAX; i++) {
      const page = await document.getPage(i);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
      pages.push(text.join('').replaceAll(PAGE_MARK, ' ').trim());
      characters += pages.at(-1)?.length ?? 0;
      page.cleanup();
    }
    return {
      pages: document.numPages,
      text: pages.join(PAGE_MARK),
      pagesWithoutText: pages.filter((text) => text === '').length,
      isCut: pages.length < document.numPages,
    };
  } catch (error) {
    throw wordsFor(error);
  }
}

function wordsFor(error: unknown): ExtractError {
  const { name } = error as Error;
  if (name === 'PasswordException') {
    return new ExtractError(
      'encrypted_file',
      'This PDF is protected with a password. Open it, save it without one, and attach that.',
      { cause: error },
    );
  }
  return new ExtractError('unreadable_file', 'This PDF is damaged, so that it cannot be read.', {
    cause: error,
  });
}
