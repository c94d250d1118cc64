/**
 * Takes the text out of a file that nobody knows: what it is, its content says, not its name. To run in a process that
 * may die of it; server/attachments/extractor.ts gives that one its time.
 */
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { fileTypeFromFile } from 'file-type';
import { imageSizeFromFile } from 'image-size/fromFile';
import { ATTACHMENT_TEXT_MAX } from '../../protocol/attachments.js';
import { type ExtractedContent, PAGE_MARK } from '../../protocol/extract.js';
import { decodeText, decodeUnicode } from './decode-text.js';
import { extractDocx } from './extract-docx.js';
import { ExtractError } from './extract-error.js';
import { extractOdt, extractPptx } from './extract-office.js';
import { extractPdf } from './extract-pdf.js';

/** Of a text; no encoding takes more than four bytes for a character. */
const TEXT_BYTES_MAX = 4 * ATTACHMENT_TEXT_MAX + 4;

/** Most memory that the process may take, bytes. The biggest honest file takes about half. */
const MEMORY_MAX = 1536 * 1024 * 1024;

/** That engines can show to a model; see native/src/image_file.cpp. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif']);
const PDF = 'application/pdf';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const ODT = 'application/vnd.oasis.opendocument.text';
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
/** Texts that are known by how they begin. */
const TEXTS = /^text\/|^application\/(?:xml|json)$|\+xml$/;

/** Texts that say nothing as they are. */
const MARKUP = /rtf|postscript/;

/** What to do with files of other kinds that people try. */
const HINTS: readonly [type: RegExp, hint: string][] = [
  [/spreadsheet|excel/, 'Save the table as CSV and attach that.'],
  [/presentation|powerpoint/, 'Save the slides as PDF and attach that.'],
  [/opendocument|rtf|x-cfb|msword|epub/, 'Save it as PDF or docx and attach that.'],
  [/zip|compressed|tar|gzip|x-7z|x-rar/, 'Unpack the archive and attach the files in it.'],
  [/^image\//, 'Save it as PNG or JPEG and attach that.'],
];

/** @throws ExtractError; the error of the file system. */
export async function extract(file: string): Promise<ExtractedContent> {
  const stop = limitMemory();
  try {
    const found = await fileTypeFromFile(file);
    const type = found?.mime ?? 'text/plain';
    if (type === PDF) return await pdf(file);
    if (MARKUP.test(type)) throw unsupported(type);
    const { bytes, isWhole } = await beginningOf(file);
    // Few bytes make a type, and a text may begin with them: "GIF" does.
    const unicode = decodeUnicode(bytes, isWhole);
    const textType = TEXTS.test(type) ? type : 'text/plain';
    if (unicode !== null) return text(textType, unicode, isWhole);
    if (IMAGES.has(type)) return await image(file, type);
    if (type === DOCX) return text(type, await extractDocx(file));
    if (type === ODT) return text(type, await extractOdt(file));
    if (type === PPTX) return slides(await extractPptx(file));
    if (found !== undefined && !TEXTS.test(type)) throw unsupported(type);
    const decoded = decodeText(bytes, isWhole);
    if (decoded === null) throw unsupported('application/octet-stream');
    return text(type, decoded, isWhole);
  } finally {
    stop();
  }
}

/** As much of it as can become text that goes to a model. */
async function beginningOf(file: string): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(size, TEXT_BYTES_MAX));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), isWhole: bytesRead === size };
  } finally {
    await handle.close();
  }
}

/** @param isWhole False: its end has been left out already. */
function text(mediaType: string, found: string, isWhole = true): ExtractedContent {
  const lines = found.replace(/\r\n?/g, '\n');
  const isCut = !isWhole || lines.length > ATTACHMENT_TEXT_MAX;
  const notice = isCut ? 'cut' : lines.trim() === '' ? 'no_text' : null;
  return {
    ...{ mediaType, kind: 'text', pages: null, width: null, height: null, notice },
    text: isCut ? lines.slice(0, ATTACHMENT_TEXT_MAX) : lines,
  };
}

async function pdf(file: string): Promise<ExtractedContent> {
  const { pages, text: whole, pagesWithoutText, isCut } = await extractPdf(file);
  const content = text(PDF, whole);
  const isEmpty = whole.replaceAll(PAGE_MARK, '').trim() === '';
  const some = pagesWithoutText > 0 ? 'pages_without_text' : null;
  return {
    ...content,
    pages,
    notice: isEmpty ? 'no_text' : isCut ? 'cut' : (content.notice ?? some),
  };
}

function slides(texts: readonly string[]): ExtractedContent {
  const whole = texts.map((each) => each.replaceAll(PAGE_MARK, ' ')).join(PAGE_MARK);
  const content = text(PPTX, whole);
  const some = texts.includes('') ? 'pages_without_text' : null;
  const isEmpty = texts.every((each) => each === '');
  return {
    ...content,
    pages: texts.length,
    notice: isEmpty ? 'no_text' : (content.notice ?? some),
  };
}

async function image(file: string, mediaType: string): Promise<ExtractedContent> {
  try {
    const { width, height } = await imageSizeFromFile(file);
    return { mediaType, kind: 'image', text: null, pages: null, width, height, notice: null };
  } catch (error) {
    throw new ExtractError(
      'unreadable_file',
      'This picture is damaged, so that it cannot be read.',
      {
        cause: error,
      },
    );
  }
}

function unsupported(type: string): ExtractError {
  const hint = HINTS.find(([pattern]) => pattern.test(type))?.[1];
  const kind = type === 'application/octet-stream' ? 'no text' : `a file of the kind ${type}`;
  const rest = hint ?? 'Texts, code, PDF, docx, odt, pptx and pictures can be attached.';
  return new ExtractError(
    'unsupported_file',
    `This is ${kind}, which cannot be read here. ${rest}`,
  );
}

/** A thread of its own looks at it, because parsers do not let go of theirs. */
function limitMemory(): () => void {
  const watcher = new Worker(
    `setInterval(() => {
      if (process.memoryUsage.rss() > ${MEMORY_MAX}) process.kill(process.pid, 'SIGKILL');
    }, 50)`,
    { eval: true },
  );
  watcher.unref();
  return () => void watcher.terminate();
}
