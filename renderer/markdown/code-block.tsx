import { memo, type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { t } from '../i18n/i18n.js';
import { useLanguage } from '../i18n/use-language.js';
import { CopyButton } from '../shell/copy-button.js';
import { grammarOf, type HighlightedCode, highlight, loadGrammar } from './highlight.js';

/** A block of code with its language and a copy button; colours come when their grammar has arrived. */
export const CodeBlock = memo(function CodeBlock(props: { code: string; language: string }) {
  const { code, language } = props;
  useLanguage();
  const label = language === '' ? t('notices.plain_text') : language;
  return (
    <div className="code">
      <div className="code-head">
        <span>{label}</span>
        <CopyButton text={code} label={t('notices.copy_code')} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: it scrolls, so the keyboard must reach it */}
      <pre tabIndex={0} role="region" aria-label={t('notices.code_region', { language: label })}>
        <code>
          <Coloured code={code} language={language} />
        </code>
      </pre>
    </div>
  );
});

function Coloured({ code, language }: { code: string; language: string }) {
  const grammar = grammarOf(language);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let here = true;
    if (grammar) void loadGrammar(grammar).then((loaded) => here && setReady(loaded));
    return () => {
      here = false;
    };
  }, [grammar]);
  // While code streams in, colouring it yields to typing and scrolling; what is not coloured yet follows plain.
  const settled = useDeferredValue(code);
  const coloured = useMemo(() => {
    const tree = ready && grammar ? highlight(grammar, settled) : null;
    return tree ? spans(tree.children) : null;
  }, [ready, grammar, settled]);
  if (!coloured || !code.startsWith(settled)) return code;
  return (
    <>
      {coloured}
      {code.slice(settled.length)}
    </>
  );
}

/** highlight.js gives text and spans with class names, nothing else. */
function spans(nodes: HighlightedCode['children']): ReactNode[] {
  return nodes.map((node, index) => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return null;
    const names = node.properties.className;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the spans have no identity but their place
      <span key={index} className={Array.isArray(names) ? names.join(' ') : undefined}>
        {spans(node.children)}
      </span>
    );
  });
}
