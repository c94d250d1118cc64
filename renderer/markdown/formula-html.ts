/**
 * Reads the HTML of KaTeX for rehype-katex, in place of hast-util-from-html-isomorphic (scripts/build.mjs puts it there).
 * The browser's own parser takes each `style` of it for one that the page's content security policy forbids, and reports
 * it, which takes milliseconds for each formula. So it sees none: React sets them later, which the policy allows.
 */
interface Text {
  type: 'text';
  value: string;
}

interface Element {
  type: 'element';
  tagName: string;
  properties: Record<string, string>;
  children: (Element | Text)[];
}

/** KaTeX escapes quotes in all that comes from outside, so this stands in its own marks only. */
const STYLE = / style="/g;
const HIDDEN_STYLE = 'data-formula-style';

export function fromHtmlIsomorphic(html: string): { type: 'root'; children: (Element | Text)[] } {
  const template = document.createElement('template');
  template.innerHTML = html.replace(STYLE, ` ${HIDDEN_STYLE}="`);
  return { type: 'root', children: childrenOf(template.content) };
}

function childrenOf(parent: ParentNode & Node): (Element | Text)[] {
  return [...parent.childNodes].flatMap((node): (Element | Text)[] => {
    if (node.nodeType === Node.TEXT_NODE) return [{ type: 'text', value: node.nodeValue ?? '' }];
    if (!(node instanceof globalThis.Element)) return [];
    const properties: Record<string, string> = {};
    for (const { name, value } of node.attributes) {
      properties[name === HIDDEN_STYLE ? 'style' : name] = value;
    }
    return [{ type: 'element', tagName: node.localName, properties, children: childrenOf(node) }];
  });
}
