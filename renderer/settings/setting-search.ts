/** Finds settings by what they are called, what is said of them, and other words for them. Pure. */

export interface Searchable {
  title: string;
  hint: string;
  synonyms: string;
  /** Title of the part that it belongs to. */
  section: string;
}

/** A piece of a text; `found`: it is what was searched for. */
export interface Piece {
  text: string;
  found: boolean;
}

/** Without case and accents; each character of the text stays one, so that places in both are the same. */
function plain(text: string): string {
  return [...text]
    .map((character) => {
      const folded = character
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase();
      return [...folded].length === 1 && folded.length === character.length ? folded : character;
    })
    .join('');
}

function wordsOf(query: string): string[] {
  return plain(query)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** How well one word of the query fits; 0: not at all. */
function fitOf(word: string, { title, hint, synonyms, section }: Searchable): number {
  const name = plain(title);
  if (name.startsWith(word)) return 5;
  if (name.includes(word)) return 4;
  if (plain(synonyms).includes(word)) return 3;
  if (plain(section).includes(word)) return 2;
  return plain(hint).includes(word) ? 1 : 0;
}

/** Those in which every word of the query is found, the best first; none for an empty query. */
export function searchSettings<T extends Searchable>(settings: readonly T[], query: string): T[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return settings
    .map((setting) => ({ setting, fits: words.map((word) => fitOf(word, setting)) }))
    .filter(({ fits }) => fits.every((fit) => fit > 0))
    .map(({ setting, fits }) => ({ setting, fit: fits.reduce((sum, fit) => sum + fit, 0) }))
    .sort((a, b) => b.fit - a.fit)
    .map(({ setting }) => setting);
}

/** A text in pieces, those of the query marked; together they are the text. */
export function highlight(text: string, query: string): Piece[] {
  const folded = plain(text);
  const found = new Array<boolean>(text.length).fill(false);
  for (const word of wordsOf(query)) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      found.fill(true, at, at + word.length);
    }
  }
  const pieces: Piece[] = [];
  for (const [i, isFound] of found.entries()) {
    const last = pieces.at(-1);
    if (last?.found === isFound) last.text += text.charAt(i);
    else pieces.push({ text: text.charAt(i), found: isFound });
  }
  return pieces;
}
