// The JavaScript of docs/clients and of the main README, run as it stands there.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AFTER_TOOL_SENTENCE, SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { serverForClients } from './test-clients.js';

const REPO = path.resolve(import.meta.dirname, '..');
const PAGES = path.join(REPO, 'docs', 'clients');

const { test } = serverForClients();

/** The models that the pages speak of, as test models. */
const MODELS = { guide: 'scripted', 'qwen3-4b': 'toolcall', 'nomic-embed-text': 'embed' };

/** What each block of a page prints, in order. */
const PRINTED: Readonly<Record<string, readonly RegExp[]>> = {
  'ai-sdk.md': [
    new RegExp(`^${SCRIPTED_SENTENCE}\\n[1-9]\\d* tokens$`),
    new RegExp(`^${AFTER_TOOL_SENTENCE}$`),
    /^(good|bad)$/,
    /^2 [1-9]\d+$/,
  ],
  'anthropic.md': [
    new RegExp(`^${SCRIPTED_SENTENCE}\\n[1-9]\\d* \\+ 22 tokens$`),
    new RegExp(`^${AFTER_TOOL_SENTENCE}$`),
  ],
  'langchain-js.md': [
    new RegExp(`^${SCRIPTED_SENTENCE}$`),
    new RegExp(`^${AFTER_TOOL_SENTENCE}$`),
    /^(good|bad)$/,
    /^[1-9]\d+$/,
  ],
  'ollama-js.md': [new RegExp(`^${SCRIPTED_SENTENCE}$`), /^2 [1-9]\d+$/],
  'openai-agents.md': [new RegExp(`^${AFTER_TOOL_SENTENCE}$`)],
  'openai.md': [
    new RegExp(`^${SCRIPTED_SENTENCE}$`),
    new RegExp(`^${SCRIPTED_SENTENCE} [1-9]\\d+$`),
    new RegExp(`^${AFTER_TOOL_SENTENCE}$`),
    /^(good|bad)$/,
    /^2 [1-9]\d+$/,
  ],
  '../../README.md': [new RegExp(`^${SCRIPTED_SENTENCE}$`)],
};

/** Blocks whose model need not call the tool that it is offered: what to put in for what, so that it cannot. */
const WITHOUT_CALL: Readonly<Record<string, { block: number; from: string; to: string }>> = {
  'anthropic.md': {
    block: 1,
    from: 'max_tokens: 500,',
    to: "max_tokens: 500, tool_choice: { type: 'none' },",
  },
  'langchain-js.md': {
    block: 1,
    from: '.bindTools([getWeather])',
    to: ".bindTools([getWeather], { tool_choice: 'none' })",
  },
};

function blocksOf(page: string): string[] {
  const text = readFileSync(path.join(PAGES, page), 'utf8');
  return [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
}

/** What a block prints; fails where it throws, or says anything on standard error. */
async function run(code: string): Promise<string> {
  const local = Object.entries(MODELS).reduce(
    (text, [name, model]) => text.replaceAll(`'${name}'`, `'${model}'`),
    code.replaceAll('http://127.0.0.1:7411', test().server.url),
  );
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--input-type=module'],
      { cwd: REPO },
      (error, stdout, stderr) => {
        if (error || stderr !== '') reject(error ?? new Error(stderr));
        else resolve(stdout.trim());
      },
    );
    child.stdin?.end(local);
  });
}

describe.each(Object.entries(PRINTED))('%s', (page, printed) => {
  it('runs as it stands there', async () => {
    const blocks = blocksOf(page);
    expect(blocks).toHaveLength(printed.length);
    const outputs = await Promise.all(blocks.map(run));
    for (const [i, pattern] of printed.entries()) expect(outputs[i]).toMatch(pattern);
  });
});

it.each(Object.entries(WITHOUT_CALL))(
  '%s tells the answer of a model that calls no tool',
  async (page, { block, from, to }) => {
    const code = blocksOf(page)[block] ?? '';
    expect(code.split(from)).toHaveLength(2);
    expect(await run(code.replace(from, to))).toBe(SCRIPTED_SENTENCE);
  },
);

it('a page that speaks of a model that is not built in says where there is one', () => {
  const standIns = Object.keys(MODELS).filter((name) => name !== 'guide');
  for (const page of readdirSync(PAGES)) {
    const text = readFileSync(path.join(PAGES, page), 'utf8');
    const [head = ''] = text.split('```', 1);
    // a name of a file is an example of how names are found
    const spoken = standIns.filter((name) => text.replaceAll(`${name}.gguf`, '').includes(name));
    for (const name of spoken) {
      if (page === 'README.md') expect(text).toContain(`\`${name}.gguf\``);
      else expect(head, page).toMatch(new RegExp(`\`${name}\`.*README\\.md#models`, 's'));
    }
  }
});

it('a command of the clone is never told without its folder', () => {
  const docs = path.join(REPO, 'docs');
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  for (const page of pages) {
    const text = readFileSync(path.join(docs, page), 'utf8');
    if (text.includes('npx pilotlight')) expect(text, page).toMatch(/Pilotlight's (own )?folder/);
  }
});

it('no page has JavaScript that is not run', () => {
  const pages = readdirSync(PAGES).filter((page) => blocksOf(page).length > 0);
  expect(pages.sort()).toEqual(Object.keys(PRINTED).filter((page) => !page.startsWith('..')));
});

it('the index links every page', () => {
  const index = readFileSync(path.join(PAGES, 'README.md'), 'utf8');
  for (const page of readdirSync(PAGES)) {
    if (page !== 'README.md') expect(index).toContain(`(${page})`);
  }
});
