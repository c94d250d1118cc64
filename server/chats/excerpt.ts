/** The text around what was searched for. Pure. */
import type { ChatSearch } from '../../protocol/chats.js';

type Excerpt = ChatSearch['results'][number]['excerpt'];

/** Characters before the first hit. */
const BEFORE = 40;

/** Characters of the whole: two lines of a list. */
const LENGTH = 200;

/** Characters behind the first hit in which others are looked for. */
const NEAR = 2 * LENGTH;

/**
 * Without case and without the marks of Latin, Greek and Cyrillic letters; those of other scripts, such as Japanese,
 * make other letters.
 */
export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036F]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/**
 * Where the folded words are: pairs of begin and end in `text`, in order, not overlapping. Only those that begin within
 * some characters of the first one: nobody is shown more.
 */
export function hitsIn(text: string, words: readonly string[]): [number, number][] {
  const folded = fold(text);
  const found = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
  const end = Math.min(...found) + NEAR;
  const hits: [number, number][] = [];
  for (const word of words) {
    let at = folded.indexOf(word);
    while (at >= 0 && at < end) {
      hits.push([at, at + word.length]);
      at = folded.indexOf(word, at + word.length);
    }
  }
  return merged(folded.length === text.length ? hits : placedIn(text, hits));
}

/** Hits in the folded text → hits in the text, where a character has not always one unit in both. */
function placedIn(text: string, hits: readonly [number, number][]): [number, number][] {
  const last = Math.max(...hits.map(([, end]) => end));
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    if (places.length > last) break;
    const length = fold(character).length;
    for (let i = 0; i < length; i++) places.push(at);
    at += character.length;
  }
  return hits.map(([begin, end]) => [
    places[begin] ?? 0,
    // With marks that belong to its last character.
    places.slice(end).find((place) => place > (places[end - 1] ?? 0)) ?? at,
  ]);
}

function merged(hits: readonly [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [begin, end] of [...hits].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && begin <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([begin, end]);
  }
  return result;
}

/** @param words Folded. */
export function excerptOf(text: string, words: readonly string[]): Excerpt {
  const hits = hitsIn(text, words);
  const first = hits[0]?.[0] ?? 0;
  const begin = wordStart(text, Math.max(0, first - BEFORE), first);
  const end = Math.min(text.length, begin + LENGTH);
  const pieces: Excerpt = [];
  const push = (from: number, to: number, hit: boolean) => {
    const piece = whole(text.slice(from, to)).replace(/\s+/gu, ' ');
    if (piece !== '') pieces.push({ text: piece, hit });
  };
  let at = begin;
  if (begin > 0) pieces.push({ text: '…', hit: false });
  for (const [from, to] of hits) {
    if (from >= end) break;
    push(at, from, false);
    push(from, Math.min(to, end), true);
    at = Math.min(to, end);
  }
  push(at, end, false);
  if (end < text.length) pieces.push({ text: '…', hit: false });
  return pieces;
}

/** No word is cut in two at the beginning, where there is a space before the hit. */
function wordStart(text: string, from: number, hit: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, hit).search(/\s/u);
  return space < 0 ? from : from + space + 1;
}

/** Without halves of characters at its ends. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
}
