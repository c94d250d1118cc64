/** Every screen of the window and how one comes to it: a new one is a line here. */
import { expect, type Locator, type Page } from '@playwright/test';
import { WELCOME_STEPS } from '../protocol/preferences.js';
import { REPO, type World } from './window-world.js';

const SETTINGS = [
  ...['general', 'appearance', 'models', 'folders', 'hub', 'tools'],
  ...['upstreams', 'rpc', 'server', 'data', 'about'],
];
const DEVELOPER = ['server', 'requests', 'log', 'snippets', 'self-test'];

export interface Screen {
  name: string;
  /** Of the window's address, where it begins. */
  hash: (world: World) => string;
  /** Leads on from there, and waits until all is there. Works in a wide window and in a narrow one. */
  open: (page: Page) => Promise<unknown>;
  /** It is open above a page: the Tab key stays within, and another size of the window may close it. */
  above?: true;
  /** It is a part of the sidebar, which is elsewhere in a narrow window. */
  inSidebar?: true;
}

const seen = (locator: Locator) => expect(locator.first()).toBeVisible();
const press = (keys: string, test: string) => async (page: Page) => {
  await seen(page.getByTestId('composer'));
  await page.keyboard.press(keys);
  await seen(page.getByTestId(test));
};
const click = async (page: Page, test: string) => page.getByTestId(test).last().click();

/** Shows the sidebar where it is hidden for lack of room. */
async function sidebar(page: Page): Promise<void> {
  const show = page.getByTestId('show-sidebar');
  await seen(show.or(page.getByTestId('hide-sidebar')));
  if (await show.isVisible()) await show.click();
  await seen(page.getByTestId('chat-link'));
}

async function attach(page: Page): Promise<void> {
  const buffer = Buffer.from('# Plan\n\nBuy a ticket.');
  const file = { name: 'plan.md', mimeType: 'text/markdown', buffer };
  await page.getByTestId('attach-files').setInputFiles(file);
  await seen(page.locator('.draft-files').getByTestId('attachment'));
}

const NEW = () => '#/';
const chat = (name: keyof World['chats']) => (world: World) => `#/chat/${world.chats[name]}`;
const at = (hash: string) => () => hash;

const chats: Screen[] = [
  { name: 'new chat', hash: NEW, open: (page) => seen(page.getByTestId('composer')) },
  {
    name: 'a chat with answers',
    hash: chat('answered'),
    open: (page) => seen(page.locator('.katex-display')),
  },
  {
    name: 'an answer that is being written',
    hash: chat('writing'),
    open: (page) => seen(page.getByTestId('stop')),
  },
  {
    name: 'an answer that failed',
    hash: chat('refused'),
    open: (page) => seen(page.getByTestId('error-card')),
  },
  {
    name: 'an answer with thoughts',
    hash: chat('thinking'),
    open: async (page) => {
      const fold = page.getByRole('button', { name: /^Thought/ });
      await fold.click();
      await expect(fold).toHaveAttribute('aria-expanded', 'true');
    },
  },
  {
    name: 'a tool that waits for consent',
    hash: chat('waiting'),
    open: (page) => seen(page.getByTestId('tool-once')),
  },
  {
    name: 'answers beside each other',
    hash: chat('compared'),
    open: (page) => seen(page.getByTestId('compare')),
  },
  {
    name: 'a chat that is not there',
    hash: at('#/chat/chat_nowhere'),
    open: (page) => seen(page.getByRole('heading', { name: 'This chat is not here' })),
  },
  {
    name: 'find in a chat',
    hash: chat('answered'),
    open: async (page) => {
      await seen(page.locator('.katex-display'));
      await page.keyboard.press('Control+f');
      await page.keyboard.type('words');
      await expect(page.getByTestId('find')).toContainText('of');
    },
  },
  {
    name: 'a question that is edited',
    hash: chat('answered'),
    open: async (page) => {
      await seen(page.locator('.katex-display'));
      await page.keyboard.press('Control+e');
      await seen(page.getByRole('textbox', { name: 'Edit and ask again' }));
    },
  },
  {
    name: 'menu of a message',
    hash: chat('answered'),
    above: true,
    open: async (page) => {
      await click(page, 'message-menu');
      await seen(page.getByTestId('delete-message'));
    },
  },
  {
    name: 'models to ask side by side',
    hash: NEW,
    open: async (page) => {
      await click(page, 'start-compare');
      await seen(page.getByTestId('compare-1'));
    },
  },
  {
    name: 'a file that is attached',
    hash: NEW,
    open: attach,
  },
  {
    name: 'a look at a file',
    hash: NEW,
    above: true,
    open: async (page) => {
      await attach(page);
      await page.getByTitle('Show plan.md').click();
      await expect(page.getByTestId('attachment-preview')).toContainText('Buy a ticket.');
    },
  },
  {
    name: 'menu of tools',
    hash: NEW,
    above: true,
    open: async (page) => {
      await click(page, 'chat-tools');
      await seen(page.getByRole('menu'));
    },
  },
  {
    name: 'settings of a chat',
    hash: chat('answered'),
    above: true,
    open: async (page) => {
      await click(page, 'open-chat-settings');
      await seen(page.getByTestId('chat-settings'));
    },
  },
  {
    name: 'menu of presets',
    hash: NEW,
    above: true,
    open: async (page) => {
      await click(page, 'open-chat-settings');
      await page.getByTestId('preset-menu').click();
      await seen(page.getByRole('menu'));
    },
  },
];

const shell: Screen[] = [
  {
    name: 'sidebar with folders and archive',
    hash: NEW,
    inSidebar: true,
    open: async (page) => {
      await sidebar(page);
      const archive = page.getByTestId('archive');
      // Rows out of sight are not drawn.
      await page.getByTestId('chat-link').first().press('End');
      // It is remembered that it was opened before.
      if ((await archive.getAttribute('aria-expanded')) === 'false') await archive.click();
      await archive.press('End');
      await seen(page.getByTestId('chat-link').filter({ hasText: 'Trip' }));
    },
  },
  {
    name: 'menu of a chat in the sidebar',
    hash: NEW,
    above: true,
    open: async (page) => {
      await sidebar(page);
      await page
        .getByTestId('chat-link')
        .filter({ hasText: 'Tomatoes' })
        .click({ button: 'right' });
      await seen(page.getByRole('menuitem', { name: 'Move to' }));
    },
  },
  {
    name: 'a chat that is renamed',
    hash: NEW,
    inSidebar: true,
    open: async (page) => {
      await sidebar(page);
      await page.getByTestId('chat-link').filter({ hasText: 'Tomatoes' }).press('F2');
      await seen(page.getByTestId('rename-field'));
    },
  },
  { name: 'command palette', hash: NEW, above: true, open: press('Control+k', 'palette-field') },
  {
    name: 'search in all chats',
    hash: NEW,
    above: true,
    open: async (page) => {
      await press('Control+Shift+f', 'search-field')(page);
      await page.keyboard.type('words');
      await seen(page.getByTestId('search-hit'));
    },
  },
  {
    name: 'list of shortcuts',
    hash: NEW,
    above: true,
    open: async (page) => {
      await seen(page.getByTestId('composer'));
      await page.keyboard.press('Control+/');
      await seen(page.getByRole('heading', { name: 'Keyboard shortcuts' }));
    },
  },
  {
    name: 'model picker',
    hash: NEW,
    above: true,
    open: async (page) => {
      await page.getByTestId('model-picker').click();
      await seen(page.getByTestId('model-option-guide'));
    },
  },
  {
    name: 'menu of the window',
    hash: NEW,
    above: true,
    open: async (page) => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await seen(page.getByRole('menuitemradio', { name: 'Dark' }));
    },
  },
  {
    name: 'a notice',
    hash: chat('answered'),
    open: async (page) => {
      await page.getByTestId('message-menu').last().click();
      await page.getByRole('menuitem', { name: 'Copy the whole chat' }).click();
      await seen(page.getByTestId('notice'));
    },
  },
];

const models: Screen[] = [
  {
    name: 'installed models',
    hash: at('#/models/installed'),
    open: (page) => seen(page.getByTestId('model-guide')),
  },
  {
    name: 'settings of a model',
    hash: at('#/models/installed/scripted'),
    above: true,
    open: (page) => seen(page.getByRole('dialog').getByLabel('Requests at the same time')),
  },
  {
    name: 'how a model is added',
    hash: at('#/models/installed'),
    above: true,
    open: async (page) => {
      await page
        .getByRole('button', { name: /^Add a/ })
        .first()
        .click();
      await seen(page.getByRole('dialog'));
    },
  },
  {
    name: 'a model that is deleted',
    hash: at('#/models/installed'),
    above: true,
    open: async (page) => {
      await page.getByTestId('model-scripted').getByRole('button', { name: 'Delete…' }).click();
      await seen(page.getByRole('alertdialog'));
    },
  },
  {
    name: 'models to discover',
    hash: at('#/models/discover'),
    open: (page) => seen(page.getByTestId(`repo-${REPO}`)),
  },
  {
    name: 'a model that was found',
    hash: at(`#/models/discover/${REPO}`),
    open: (page) => seen(page.getByTestId('download')),
  },
  {
    name: 'downloads',
    hash: at('#/models/downloads'),
    open: (page) => seen(page.getByText('Nothing is being downloaded')),
  },
];

const settings: Screen[] = [
  ...SETTINGS.map((section) => ({
    name: `settings: ${section}`,
    hash: at(`#/settings/${section}`),
    open: async (page: Page) => {
      await expect(page.getByTestId(`settings-${section}`)).toHaveAttribute('aria-current', 'page');
      await expect(page.locator('.page-note[role="status"]')).toHaveCount(0);
      // None is missing here.
      await expect(page.locator('.settings-nav a')).toHaveCount(SETTINGS.length);
    },
  })),
  {
    name: 'search in settings',
    hash: at('#/settings/general'),
    open: async (page) => {
      await page.getByTestId('search-settings').fill('model');
      await seen(page.getByTestId('found-settings').getByRole('option'));
    },
  },
  {
    name: 'tools that are added',
    hash: at('#/settings/tools'),
    above: true,
    open: async (page) => {
      await page.getByRole('button', { name: 'Add tools…' }).click();
      await seen(page.getByTestId('tool-server-dialog'));
    },
  },
  {
    name: 'tools of a server',
    hash: at('#/settings/tools'),
    open: async (page) => {
      const card = page.getByTestId('tool-server-weather');
      await card.getByRole('button', { name: '9 tools' }).click();
      await seen(card.getByTestId('tool-get_weather'));
    },
  },
  {
    name: 'another server that is added',
    hash: at('#/settings/upstreams'),
    above: true,
    open: async (page) => {
      await page.getByRole('button', { name: /^Add/ }).first().click();
      await seen(page.getByRole('dialog'));
    },
  },
  {
    name: 'chats that are imported',
    hash: at('#/settings/data'),
    above: true,
    open: async (page) => {
      const buffer = Buffer.from('hello');
      const file = { name: 'words.txt', mimeType: 'text/plain', buffer };
      await page.getByTestId('import-file').setInputFiles(file);
      await seen(page.getByRole('dialog').getByRole('alert'));
    },
  },
];

const developer: Screen[] = [
  ...DEVELOPER.map((tab) => ({
    name: `developer: ${tab}`,
    hash: at(`#/developer/${tab}`),
    open: async (page: Page) => {
      await expect(page.getByTestId(`tab-${tab}`)).toHaveAttribute('aria-selected', 'true');
      await expect(page.locator('.page-head').getByRole('tab')).toHaveCount(DEVELOPER.length);
      await expect(page.locator('.page-column').locator('h2, [role="log"]').first()).toBeAttached();
    },
  })),
];

const firstRun: Screen[] = WELCOME_STEPS.map((step) => ({
  name: `first run: ${step}`,
  hash: at(`#/welcome/${step}`),
  open: async (page: Page) => {
    await expect(page).toHaveURL(new RegExp(`#/welcome/${step}$`));
    await seen(page.getByRole('main').getByRole('heading', { level: 1 }));
    await expect(page.getByRole('main').getByRole('progressbar')).toHaveCount(0);
  },
}));

export const SCREENS: readonly Screen[] = [
  ...firstRun,
  ...chats,
  ...shell,
  ...models,
  ...settings,
  ...developer,
];
