import { type ComponentProps, isValidElement, memo, type ReactNode, useMemo } from 'react';
import { type Components, defaultRemarkPlugins, Streamdown } from 'streamdown';
import { t } from '../i18n/i18n.js';
import { useLanguage } from '../i18n/use-language.js';
import { openLink } from '../shell/open-link.js';
import { CodeBlock } from './code-block.js';
import { htmlBreaks } from './html-breaks.js';
import { LazyBlock } from './lazy-block.js';
import { liveLink } from './link-policy.js';
import { withDollars } from './tex.js';
import { useMath } from './use-math.js';

type Props<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & {
  node?: unknown;
};

/** Plain elements of our own, in place of Streamdown's: those bring class names of a stylesheet we do not have. */
function plain<Tag extends keyof React.JSX.IntrinsicElements>(tag: Tag) {
  const Element = tag as React.ElementType;
  return ({ node: _, className: __, ...props }: Props<Tag>) => <Element {...props} />;
}

/** The page's own headings are of levels 1 and 2; those of an answer begin below. */
function heading(Element: 'h3' | 'h4' | 'h5', level: 1 | 2 | 3) {
  return ({ children }: Props<'h1'>) => <Element data-level={level}>{children}</Element>;
}

function Link({ href, children }: Props<'a'>) {
  const live = liveLink(href);
  if (!live) return <span className="dead-link">{children}</span>;
  return (
    <a href={live} target="_blank" rel="noopener noreferrer" onClick={(e) => openLink(e, live)}>
      {children}
    </a>
  );
}

/** Pictures are not fetched: that would tell a stranger's server what is read here. */
function Picture({ src, alt }: Props<'img'>) {
  const address = typeof src === 'string' ? src : undefined;
  return <Link href={address}>{alt || address || t('chat.picture')}</Link>;
}

/** The box of a task list; it tells, and takes no clicks. */
function Checkbox({ checked }: Props<'input'>) {
  const label = checked ? t('chat.task_done') : t('chat.task_open');
  return <input type="checkbox" checked={checked === true} disabled aria-label={label} />;
}

function Code({ children }: Props<'code'>) {
  return <code className="inline-code">{children}</code>;
}

function Pre({ children }: Props<'pre'>) {
  if (!isValidElement<Props<'code'>>(children)) return <pre>{children}</pre>;
  const language = /language-(\S+)/.exec(children.props.className ?? '')?.[1] ?? '';
  return (
    <CodeBlock code={textOf(children.props.children).replace(/\n$/, '')} language={language} />
  );
}

function Table({ children }: Props<'table'>) {
  useLanguage();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table" tabIndex={0} aria-label={t('notices.table')}>
      <table>{children}</table>
    </section>
  );
}

function Cell({ style, children, header }: Props<'td'> & { header: boolean }) {
  const align = style?.textAlign as 'left' | 'center' | 'right' | undefined;
  const Tag = header ? 'th' : 'td';
  return <Tag align={align}>{children}</Tag>;
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textOf).join('');
  return '';
}

const components = {
  a: Link,
  blockquote: plain('blockquote'),
  code: Code,
  h1: heading('h3', 1),
  h2: heading('h3', 2),
  h3: heading('h4', 3),
  h4: heading('h5', 3),
  h5: heading('h5', 3),
  h6: heading('h5', 3),
  hr: plain('hr'),
  img: Picture,
  input: Checkbox,
  li: plain('li'),
  ol: plain('ol'),
  p: plain('p'),
  pre: Pre,
  section: plain('section'),
  strong: plain('strong'),
  sub: plain('sub'),
  sup: plain('sup'),
  table: Table,
  tbody: plain('tbody'),
  td: (props: Props<'td'>) => <Cell {...props} header={false} />,
  th: (props: Props<'td'>) => <Cell {...props} header={true} />,
  thead: plain('thead'),
  tr: plain('tr'),
  ul: plain('ul'),
} as Components;

const remarkPlugins = [...Object.values(defaultRemarkPlugins), htmlBreaks];
// Without rehype-raw, HTML in an answer is text; what is left are elements made from Markdown.
const rehypePlugins: [] = [];

/** Markdown that may still be growing; finished blocks are not rendered again. */
export const Markdown = memo(function Markdown(props: { text: string; writing: boolean }) {
  const { text, writing } = props;
  const math = useMath(text);
  const plugins = useMemo(
    () => ({
      remark: [...remarkPlugins, ...(math?.remarkPlugins ?? [])],
      rehype: [...rehypePlugins, ...(math?.rehypePlugins ?? [])],
    }),
    [math],
  );
  return (
    <Streamdown
      // Blocks that are drawn already would stay as they are when formulas can be drawn.
      key={math ? 'math' : 'plain'}
      BlockComponent={LazyBlock}
      className="markdown"
      components={components}
      controls={false}
      data-writing={writing || undefined}
      dir="auto"
      isAnimating={writing}
      rehypePlugins={plugins.rehype}
      remarkPlugins={plugins.remark}
    >
      {math ? withDollars(text) : text}
    </Streamdown>
  );
});
