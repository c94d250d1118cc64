/** Every screen of the window that docs/screens shows. */
import { expect, type Page } from '@playwright/test';
import { docx, paragraph, pdf } from '../server/attachments/test-files.js';
import type { ScreenWorld } from './screen-world.js';

export interface Screen {
  /** Of its pictures. */
  name: string;
  /** What it shows, for the page of all pictures. */
  title: string;
  /** Hash of the page, or the title of a chat. */
  place: string;
  /** Something that is there once the page is complete. */
  sign?: string;
  /** Makes the page show it. */
  show?: (page: Page, world: ScreenWorld, isNarrow: boolean) => Promise<void>;
}

const click = (testId: string) => async (page: Page) => {
  await page.getByTestId(testId).first().click();
};

async function press(page: Page, keys: string): Promise<void> {
  await page.keyboard.press(keys);
}

/** The question is asked once; its chat is opened again by its address. */
async function askForTool(page: Page, world: ScreenWorld): Promise<void> {
  const model = 'mistral-small-24b';
  const text = 'What is the weather in Rome? I have to decide what to pack.';
  await page.goto(world.address(await world.chat('Packing for Rome', model, text)));
}

async function attachedFiles() {
  const contents: [string, string | Uint8Array][] = [
    ['contract.pdf', await pdf(['Lease.', 'The garden is shared by all tenants.', 'Signatures.'])],
    ['questions.docx', await docx(paragraph('May we plant tomatoes?'))],
    ['notes.md', '# Notes\n\nCall on Tuesday.'],
  ];
  return contents.map(([name, content]) => ({
    ...{ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) },
  }));
}

const chatScreens: Screen[] = [
  { name: 'chat-empty', title: 'A new chat', place: '#/', sign: '.chips' },
  {
    ...{ name: 'chat', title: 'An answer with a formula and a table', sign: '.katex' },
    place: 'Saving 200 € a month',
  },
  {
    ...{ name: 'chat-code', title: 'Code, and branches of an answer', sign: '.hljs-keyword' },
    place: 'Sorting photos by month',
  },
  {
    ...{ name: 'chat-writing', title: 'An answer that is being written', place: 'writing' },
    show: async (page) => {
      await expect(page.getByTestId('message-assistant')).toContainText('and then');
    },
  },
  {
    ...{ name: 'chat-find', title: 'Finding words in a chat', sign: '.hljs-keyword' },
    place: 'Sorting photos by month',
    show: async (page) => {
      await press(page, 'Control+F');
      await page.getByTestId('find').getByRole('textbox').fill('photo');
      await expect(page.getByTestId('find')).toContainText(/[1-9]/);
    },
  },
  {
    ...{ name: 'tool-call', title: 'A tool asks for consent', place: '#/' },
    show: async (page, world) => {
      await askForTool(page, world);
      await expect(page.getByTestId('tool-call')).toHaveAttribute('data-state', 'waiting');
    },
  },
  {
    ...{ name: 'chat-error', title: 'An answer that failed', place: 'Why the bread stays flat' },
    sign: '[data-testid="error-card"]',
  },
  {
    ...{ name: 'compare', title: 'Two models beside each other', place: 'Names for a bakery' },
    sign: '[data-testid="compare"]',
  },
  {
    ...{ name: 'chat-settings', title: 'Settings of a chat', place: 'Saving 200 € a month' },
    show: async (page) => {
      await click('open-chat-settings')(page);
      await expect(page.getByTestId('chat-settings')).toBeVisible();
    },
  },
  {
    ...{ name: 'presets', title: 'Presets of system prompts', place: 'Saving 200 € a month' },
    show: async (page) => {
      await click('open-chat-settings')(page);
      await page.getByTestId('preset').selectOption({ label: 'Explain simply' });
      await expect(page.getByTestId('system-prompt')).not.toHaveValue('');
      await click('preset-menu')(page);
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    ...{ name: 'model-picker', title: 'Choosing a model', place: '#/' },
    show: async (page) => {
      await click('model-picker')(page);
      await expect(page.locator('.menu')).toBeVisible();
    },
  },
];

/** Of many rows only those in sight are there. */
async function toEndOfChats(page: Page): Promise<void> {
  await page.getByTestId('chat-link').first().waitFor();
  await page.locator('.chats').evaluate((list) => {
    for (let at: Element | null = list; at; at = at.parentElement) at.scrollTop = 10_000;
  });
}

const findScreens: Screen[] = [
  {
    ...{ name: 'sidebar', title: 'All chats', place: 'A greenhouse on the balcony' },
    show: async (page, _world, isNarrow) => {
      if (isNarrow) await click('show-sidebar')(page);
      await toEndOfChats(page);
      await click('archive')(page);
      await expect(page.getByText('Questions about the lease')).toBeAttached();
      await toEndOfChats(page);
    },
  },
  {
    ...{ name: 'search', title: 'Search in all chats', place: '#/' },
    show: async (page) => {
      await press(page, 'Control+Shift+F');
      await page.getByTestId('search-field').fill('loaf');
      await expect(page.getByTestId('search-hit').first()).toBeVisible();
    },
  },
  {
    ...{ name: 'palette', title: 'All commands', place: '#/' },
    show: async (page) => {
      await press(page, 'Control+K');
      await expect(page.getByTestId('palette-field')).toBeVisible();
    },
  },
  {
    ...{ name: 'shortcuts', title: 'All keys', place: '#/' },
    show: async (page) => {
      await press(page, 'Control+/');
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
];

const modelScreens: Screen[] = [
  { name: 'models', title: 'Models', place: '#/models/installed', sign: '.model-card' },
  {
    ...{ name: 'model-settings', title: 'Settings of a model', sign: '.side-panel' },
    place: '#/models/installed/qwen3-8b',
    show: async (page) => {
      await expect(page.getByText('Working out what it takes')).toHaveCount(0);
    },
  },
  {
    ...{ name: 'discover', title: 'Finding models', place: '#/models/discover' },
    sign: '.discover-search .card',
  },
  {
    ...{ name: 'discover-model', title: 'Which files of a model fit', sign: '.fit-line' },
    place: '#/models/discover/HuggingFaceTB/SmolLM2-135M-GGUF',
    show: async (page) => {
      await expect(page.getByText(/Checking|Not known/)).toHaveCount(0);
    },
  },
  {
    ...{ name: 'downloads', title: 'Downloads', place: '#/models/downloads' },
    show: async (page, world) => {
      await world.download();
      await expect(page.getByRole('progressbar').first()).toHaveAttribute('aria-valuenow', '62');
    },
  },
];

const settingScreens: Screen[] = Object.entries({
  general: 'Settings: general',
  appearance: 'Settings: theme, accent, text size',
  models: 'Settings: models and memory',
  folders: 'Settings: folders',
  hub: 'Settings: Hugging Face',
  tools: 'Settings: tools',
  upstreams: 'Settings: other servers',
  rpc: 'Settings: one model over several machines',
  server: 'Settings: the server',
  data: 'Settings: export, import, backup, data',
  about: 'Settings: about Pilotlight',
}).map(([section, title]) => ({
  ...{ name: `settings-${section}`, title },
  ...{ place: `#/settings/${section}`, sign: section === 'tools' ? '.card' : 'main h2' },
}));

const chatGptMessage = (role: string, text: string) => ({
  author: { role },
  create_time: 1_700_000_000,
  content: { content_type: 'text', parts: [text] },
});
const CHATGPT = {
  title: 'A trip to Rome',
  create_time: 1_700_000_000,
  current_node: 'b',
  mapping: {
    a: { parent: null, message: chatGptMessage('user', 'Two days in Rome?') },
    b: { parent: 'a', message: chatGptMessage('assistant', 'Begin at the Pantheon.') },
  },
};

const importScreen: Screen = {
  ...{ name: 'import', title: 'A look at chats before they come in', place: '#/settings/data' },
  show: async (page) => {
    await page.getByTestId('import-file').setInputFiles({
      ...{ name: 'conversations.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify([CHATGPT])),
    });
    await expect(page.getByTestId('run-import')).toBeEnabled();
  },
};

async function openInspector(page: Page, world: ScreenWorld): Promise<void> {
  await page.getByLabel('Your own key').fill(world.key);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const keep = page.getByRole('switch', { name: 'Keep what is asked and answered' });
  await keep.waitFor();
  if (!(await keep.isChecked())) {
    await keep.click();
    await expect(keep).toBeChecked();
    await world.ask();
  }
  await expect(page.getByTestId('kept')).toHaveCount(3);
}

const developerScreens: Screen[] = [
  { name: 'developer-server', title: 'The server', place: '#/developer/server' },
  {
    ...{ name: 'developer-requests', title: 'Requests', place: '#/developer/requests' },
    show: openInspector,
  },
  {
    ...{ name: 'developer-request', title: 'One request', place: '#/developer/requests' },
    show: async (page, world) => {
      await openInspector(page, world);
      await page.getByTestId('kept').getByRole('button').first().click();
      await expect(page.getByTestId('request-detail')).toBeVisible();
    },
  },
  {
    ...{ name: 'developer-log', title: 'The log', place: '#/developer/log' },
    show: async (page) => {
      await page.getByRole('searchbox').fill('/v1/');
    },
  },
  { name: 'developer-snippets', title: 'Snippets', place: '#/developer/snippets' },
  {
    ...{ name: 'developer-self-test', title: 'The self-test', place: '#/developer/self-test' },
    show: async (page) => {
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect(page.locator('.self-test-sum')).toContainText('holds');
    },
  },
];

const firstRunScreens: Screen[] = Object.entries({
  folder: 'The first run: the folder of the models',
  model: 'The first run: a first model',
  done: 'The first run: done',
}).map(([step, title]) => ({
  ...{ name: `first-run-${step}`, title, place: `#/welcome/${step}` },
  sign: `[data-testid="welcome-${step}"]`,
  show: async (page) => {
    await expect(page.getByText('Looking for models that fit')).toHaveCount(0);
  },
}));

/** They leave a draft in the list of chats, so they come last. */
const draftScreens: Screen[] = [
  {
    ...{ name: 'attachments', title: 'Files that go with a question', place: '#/' },
    show: async (page) => {
      await page.getByTestId('attach-files').setInputFiles(await attachedFiles());
      const chips = page.locator('.draft-files').getByTestId('attachment');
      await expect(chips).toHaveCount(3);
      await expect(chips.filter({ hasText: 'pages' })).toBeVisible();
      await page.getByTestId('composer').fill('What does the contract say about the garden?');
    },
  },
];

export const SCREENS: readonly Screen[] = [
  ...firstRunScreens,
  ...chatScreens,
  ...findScreens,
  ...modelScreens,
  ...settingScreens,
  importScreen,
  ...developerScreens,
  ...draftScreens,
];
