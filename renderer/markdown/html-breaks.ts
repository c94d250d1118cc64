/**
 * Models write `<br>` in table cells, where Markdown has no line break of its own. It becomes a break; all other HTML
 * is shown as the text it is, so that nothing an answer says (such as `Promise<void>`) disappears.
 */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

export function htmlBreaks() {
  return (tree: Node): void => {
    replaceBreaks(tree);
  };
}

function replaceBreaks(node: Node): void {
  node.children?.forEach((child, index, children) => {
    const isBreak = child.type === 'html' && /^<br\s*\/?>$/i.test(child.value ?? '');
    if (isBreak) children[index] = { type: 'break' };
    else replaceBreaks(child);
  });
}
