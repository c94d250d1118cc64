/** Which parts of an answer are formulas. Pure. */

/** Whether there may be any: TeX is only fetched where it is needed. */
export function mayHaveTex(markdown: string): boolean {
  return /\$[^$]|\\[([]/.test(markdown);
}

/** Blocks and spans of code, in which nothing is a formula. */
const CODE =
  /(^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]*[^\S\n]*$|(?![\s\S]))|(`+)(?!`)[^\n]*?[^`\n]\3(?!`))/m;

/** `\(…\)` and `\[…\]`, as many models write formulas, in the way that Markdown knows them: `$…$` and `$$…$$`. */
export function withDollars(markdown: string): string {
  if (!/\\[([]/.test(markdown)) return markdown;
  let rest = markdown;
  let result = '';
  for (let code = CODE.exec(rest); code; code = CODE.exec(rest)) {
    result += proseWithDollars(rest.slice(0, code.index)) + code[0];
    rest = rest.slice(code.index + code[0].length);
  }
  return result + proseWithDollars(rest);
}

function proseWithDollars(prose: string): string {
  return prose
    .replace(/^([ \t]*)\\\[([\s\S]+?)\\\][ \t]*$/gm, (_, indent: string, tex: string) =>
      ['$$', ...tex.trim().split(/\n\s*/), '$$'].map((line) => indent + line).join('\n'),
    )
    .replace(/\\\[([^\n]+?)\\\]/g, (_, tex: string) => `$$${tex.trim()}$$`)
    .replace(/\\\(([^\n]+?)\\\)/g, (_, tex: string) => `$${tex.trim()}$`);
}

interface Node {
  type: string;
  value?: string;
  children?: Node[];
  data?: { hProperties?: { className?: string[] } };
  position?: { start: { offset?: number }; end: { offset?: number } };
}

/**
 * Money is no formula: as in Pandoc, nothing is one whose first or last character is a space, or that a digit follows
 * ("$5 and $10"). A formula in `$$` that is a paragraph of its own is displayed as one.
 */
export function texOrMoney() {
  return (tree: Node, file: { toString(): string }): void => {
    visit(tree, String(file));
  };
}

function visit(node: Node, source: string): void {
  const { children } = node;
  children?.forEach((child, index) => {
    if (child.type !== 'inlineMath') {
      visit(child, source);
      return;
    }
    const end = child.position?.end.offset ?? 0;
    const raw = source.slice(child.position?.start.offset ?? 0, end);
    if (raw.startsWith('$$')) {
      const isAlone = node.type === 'paragraph' && children.length === 1;
      const className = ['language-math', 'math-display'];
      if (isAlone) child.data = { ...child.data, hProperties: { className } };
    } else if (!/^\$\S(?:[\s\S]*\S)?\$$/.test(raw) || /\d/.test(source[end] ?? '')) {
      children[index] = { type: 'text', value: raw };
    }
  });
}
