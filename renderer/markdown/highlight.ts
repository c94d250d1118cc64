/** Syntax colours without eval, wasm or inline styles: highlight.js grammars, each fetched when it is first needed. */
import type { LanguageFn } from 'highlight.js';
import type { lowlight } from './lowlight.js';

type Lowlight = typeof lowlight;
export type HighlightedCode = ReturnType<Lowlight['highlight']>;

type Load = () => Promise<{ default: LanguageFn }>;

const grammars: Record<string, Load> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const aliases: Record<string, string> = {
  'c#': 'csharp',
  'c++': 'cpp',
  cc: 'cpp',
  console: 'bash',
  cs: 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  h: 'c',
  hpp: 'cpp',
  html: 'xml',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  yml: 'yaml',
  zsh: 'bash',
};

/** Longer code stays plain: colouring it would block the window for longer than a few frames. */
const CODE_LENGTH_MAX = 60_000;

let highlighter: Lowlight | null = null;
const loading = new Map<string, Promise<boolean>>();

/** The grammar's name for what stands after the three backticks, or null for a language we do not know. */
export function grammarOf(language: string): string | null {
  const name = language.toLowerCase();
  const known = aliases[name] ?? name;
  return Object.hasOwn(grammars, known) ? known : null;
}

/** Fetches a grammar; false when it cannot be had. */
export function loadGrammar(name: string): Promise<boolean> {
  let promise = loading.get(name);
  if (!promise) {
    promise = fetchGrammar(name);
    loading.set(name, promise);
  }
  return promise;
}

/** Coloured code, or null while its grammar is not there or where the code stays plain. */
export function highlight(grammar: string, code: string): HighlightedCode | null {
  if (!highlighter?.registered(grammar) || code.length > CODE_LENGTH_MAX) return null;
  try {
    return highlighter.highlight(grammar, code);
  } catch {
    return null;
  }
}

async function fetchGrammar(name: string): Promise<boolean> {
  const load = grammars[name];
  if (!load) return false;
  try {
    const [module, grammar] = await Promise.all([import('./lowlight.js'), load()]);
    highlighter = module.lowlight;
    highlighter.register(name, grammar.default);
    return true;
  } catch {
    loading.delete(name);
    return false;
  }
}
