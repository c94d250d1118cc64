/** Real files, made for tests. */
import PDFDocument from 'pdfkit';
import yazl from 'yazl';
import { COLOURS, png } from '../../scripts/test-models/pictures.js';

type Bytes = Uint8Array<ArrayBuffer>;

export const PICTURE: Bytes = Uint8Array.from(png(40, 30, COLOURS.red));

/** One pixel. */
export const GIF: Bytes = Uint8Array.from(
  Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAAAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
);

/** The beginning of a JPEG of 7 × 5 pixels, which is all that is looked at. */
export const JPEG: Bytes = Uint8Array.from(
  Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080005000701011100ffd9', 'hex'),
);

async function whole(stream: NodeJS.ReadableStream): Promise<Bytes> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Uint8Array.from(Buffer.concat(chunks));
}

/** @param pages The text of each; empty: a page with a drawing only. */
export function pdf(
  pages: readonly string[],
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Bytes> {
  const document = new PDFDocument({ autoFirstPage: false, ...options });
  for (const text of pages) {
    document.addPage();
    if (text === '') document.rect(10, 10, 100, 100).fill();
    else document.text(text);
  }
  document.end();
  return whole(document);
}

export function archive(files: Readonly<Record<string, Buffer>>): Promise<Bytes> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(content, name);
  zip.end();
  return whole(zip.outputStream);
}

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml" ContentType="${WORD}.document.main+xml"/></Types>`;
const RELATIONS = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;

/** @param slides The text of each. */
export function pptx(slides: readonly string[]): Promise<Bytes> {
  const main = 'application/vnd.openxmlformats-officedocument.presentationml';
  const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Override PartName="/ppt/presentation.xml" ContentType="${main}.presentation.main+xml"/></Types>`;
  const slide = (text: string) =>
    `<p:sld xmlns:p="p" xmlns:a="a"><a:p>x<a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
  return archive({
    '[Content_Types].xml': Buffer.from(types),
    'ppt/presentation.xml': Buffer.from('<p/>'),
    // In the order in which programs write them, which is that of letters.
    ...Object.fromEntries(
      slides
        .map((text, i) => [`ppt/slides/slide${i + 1}.xml`, Buffer.from(slide(text))] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  });
}

/** @param body Of the element office:text. */
export function odt(body: string): Promise<Bytes> {
  const zip = new yazl.ZipFile();
  // Its first file says what it is, and must not be compressed.
  const type = Buffer.from('application/vnd.oasis.opendocument.text');
  zip.addBuffer(type, 'mimetype', { compress: false });
  const content = `<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  zip.addBuffer(Buffer.from(content), 'content.xml');
  zip.end();
  return whole(zip.outputStream);
}

/** @param body WordprocessingML of its paragraphs. */
export function docx(body: string, more: Readonly<Record<string, Buffer>> = {}): Promise<Bytes> {
  const document = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
  return archive({
    '[Content_Types].xml': Buffer.from(TYPES),
    '_rels/.rels': Buffer.from(RELATIONS),
    'word/document.xml': Buffer.from(document),
    ...more,
  });
}

export const paragraph = (text: string, style = ''): string =>
  `<w:p>${style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';

/** A paragraph with a picture that is elsewhere, which relationTo names. */
export const LINKED_PICTURE = `<w:p><w:r><w:drawing><wp:inline xmlns:wp="${DRAWING}/wordprocessingDrawing"><wp:docPr id="1" name="a"/>
<a:graphic xmlns:a="${DRAWING}/main"><a:graphicData uri="${DRAWING}/picture"><pic:pic xmlns:pic="${DRAWING}/picture"><pic:blipFill>
<a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:link="p1"/></pic:blipFill></pic:pic>
</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

/** The file that says where the picture is. */
export function relationTo(target: string): Buffer {
  return Buffer.from(`<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="p1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="${target}" TargetMode="External"/></Relationships>`);
}
