/** Marks found words in what is drawn, without touching it: https://www.w3.org/TR/css-highlight-api-1/ */

const ALL = 'find';
const CURRENT = 'find-current';

/** Where the browser has no such thing, words are found all the same, and not marked. */
const registry = typeof CSS === 'undefined' || !('highlights' in CSS) ? null : CSS.highlights;

/** Each place of `pattern` in the text of the elements, in order. */
function rangesIn(elements: Iterable<Element>, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  for (const element of elements) {
    const nodes: { node: Text; start: number }[] = [];
    let text = '';
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      nodes.push({ node: node as Text, start: text.length });
      text += node.nodeValue ?? '';
    }
    const at = (offset: number) => {
      const place = nodes.findLast(({ start }) => start <= offset);
      return place ? ([place.node, offset - place.start] as const) : null;
    };
    for (const match of text.matchAll(pattern)) {
      // The end is told by the last character, which may stand in another node than what follows it.
      const from = at(match.index);
      const to = at(match.index + match[0].length - 1);
      if (!from || !to) continue;
      const range = new Range();
      range.setStart(...from);
      range.setEnd(to[0], to[1] + 1);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Marks all places within `root`; gives that of `current`, where its message is drawn. */
export function highlight(
  root: Element,
  pattern: RegExp,
  current: { message: string; nth: number } | null,
): Range | null {
  const all: Range[] = [];
  let chosen: Range | null = null;
  for (const message of root.querySelectorAll('[data-message]')) {
    const ranges = rangesIn(message.querySelectorAll('[data-text], .answer > .markdown'), pattern);
    all.push(...ranges);
    if (current && message.getAttribute('data-message') === current.message) {
      chosen = ranges[Math.min(current.nth, ranges.length - 1)] ?? null;
    }
  }
  registry?.set(ALL, new Highlight(...all));
  if (chosen) registry?.set(CURRENT, new Highlight(chosen));
  else registry?.delete(CURRENT);
  return chosen;
}

export function clearHighlights(): void {
  registry?.delete(ALL);
  registry?.delete(CURRENT);
}
