/** Alone in its file so that KaTeX, its style and its fonts are fetched with the first formula. */
import 'katex/dist/katex.min.css';
import rehypeKatex from 'rehype-katex';
import remarkMath from 'remark-math';
import type { StreamdownProps } from 'streamdown';
import { texOrMoney } from './tex.js';

type Plugins = Pick<StreamdownProps, 'remarkPlugins' | 'rehypePlugins'>;

/** Formulas come from a model: they set no links and no classes, and can neither grow nor expand without end. */
const options = {
  trust: false,
  strict: 'ignore',
  maxSize: 20,
  maxExpand: 300,
  errorColor: 'inherit',
} as const;

export const mathPlugins = {
  remarkPlugins: [remarkMath, texOrMoney],
  rehypePlugins: [[rehypeKatex, options]],
} satisfies Plugins;
