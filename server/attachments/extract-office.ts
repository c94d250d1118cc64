/** The text of slides (pptx) and of OpenDocument texts (odt), paragraph by paragraph. */
import { SaxesParser } from 'saxes';
import { damaged, unpack } from './archives.js';

/** The elements that hold text in one kind of document. */
interface Markup {
  paragraphs: readonly string[];
  /** Text outside of these is none; null: all of a paragraph is. */
  runs: readonly string[] | null;
  /** Elements that stand for a character. */
  characters: Readonly<Record<string, string>>;
}

const SLIDES: Markup = { paragraphs: ['a:p'], runs: ['a:t'], characters: { 'a:br': '\n' } };
const OPEN_DOCUMENT: Markup = {
  paragraphs: ['text:h', 'text:p'],
  runs: null,
  characters: { 'text:line-break': '\n', 'text:tab': '\t', 'text:s': ' ' },
};

const SLIDE = /^ppt\/slides\/slide(\d+)\.xml$/;
const CONTENT = 'content.xml';

/** @returns the text of each slide. @throws ExtractError */
export async function extractPptx(file: string): Promise<string[]> {
  try {
    const slides = await unpack(file, (name) => SLIDE.test(name));
    if (slides.size === 0) throw new Error('there are no slides');
    return [...slides]
      .sort(([a], [b]) => numberOf(a) - numberOf(b))
      .map(([, xml]) => paragraphsIn(xml, SLIDES).join('\n'));
  } catch (error) {
    throw damaged(error);
  }
}

/** @throws ExtractError */
export async function extractOdt(file: string): Promise<string> {
  try {
    const xml = (await unpack(file, (name) => name === CONTENT)).get(CONTENT);
    if (xml === undefined) throw new Error('there is no content.xml');
    return paragraphsIn(xml, OPEN_DOCUMENT).join('\n\n');
  } catch (error) {
    throw damaged(error);
  }
}

const numberOf = (slide: string): number => Number(SLIDE.exec(slide)?.[1] ?? 0);

/** Those with text, in the order in which they end: one within another one comes before it. */
function paragraphsIn(xml: string, { paragraphs, runs, characters }: Markup): string[] {
  const found: string[] = [];
  const open: string[] = [];
  let runDepth = 0;
  const append = (text: string) => {
    const last = open.length - 1;
    if (last >= 0) open[last] += text;
  };
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => {
    if (paragraphs.includes(name)) open.push('');
    if (runs?.includes(name)) runDepth += 1;
    append(characters[name] ?? '');
  });
  parser.on('text', (text) => {
    if (runs === null || runDepth > 0) append(text);
  });
  parser.on('closetag', ({ name }) => {
    if (runs?.includes(name)) runDepth -= 1;
    if (!paragraphs.includes(name)) return;
    const text = open.pop()?.trim() ?? '';
    if (text !== '') found.push(text);
  });
  parser.write(xml).close();
  return found;
}
