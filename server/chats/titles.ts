/** What a chat is called: at first as its question begins, then as its model sums it up. Pure. */

/** Characters; more is no title. */
const LENGTH = 60;

/** More of a model is a sentence, or an answer. */
const WORDS = 12;

/** Asked behind the conversation, whose prompt the engine still has. */
export const TITLE_QUESTION =
  'Write a title for this conversation: two to six words, in the language of my first message. Answer with the title only, without quotation marks.';

/** Tokens. */
export const TITLE_TOKENS = 32;

/** Its first words; empty where there are none. */
export function firstWords(question: string): string {
  const text = oneLine(question);
  if (characters(text).length <= LENGTH) return text;
  const cut = characters(text).slice(0, LENGTH).join('');
  const space = cut.lastIndexOf(' ');
  // A language that writes without spaces is cut where it is.
  return `${(space > LENGTH / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]+$/u, '')}…`;
}

/** What a model has answered as a title; null: it is none, as small models give. */
export function titleFrom(answer: string, question: string): string | null {
  const line = oneLine(answer.trim().split('\n', 1)[0] ?? '')
    .replace(/^(title|titel|título|titre|タイトル|标题)\s*[:：]\s*/iu, '')
    .replace(/^[#>*_`\s-]+|[*_`]+$/gu, '')
    .replace(/^["'“”„«»「『‘’]+|["'“”„«»」』‘’.。]+$/gu, '')
    .trim();
  const length = characters(line).length;
  if (length < 2 || length > LENGTH || line.split(' ').length > WORDS) return null;
  // Noise: hardly a letter, the same again and again, or what was asked.
  const letters = line.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  if (letters < length / 2) return null;
  if (/(.{1,8}?)\1{3,}/u.test(line)) return null;
  if (line.toLowerCase() === oneLine(question).toLowerCase()) return null;
  return line;
}

const segmenter = new Intl.Segmenter();

/** As a reader counts them. */
function characters(text: string): string[] {
  // A title is short: of a long text the beginning is enough.
  return [...segmenter.segment(text.slice(0, 1_000))].map(({ segment }) => segment);
}

/** Without line breaks and what cannot be seen. */
function oneLine(text: string): string {
  return text
    .slice(0, 10_000)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim();
}
