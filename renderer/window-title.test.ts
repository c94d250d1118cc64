import { expect, it } from 'vitest';
import { type ChatsState, noChats, reduceChats } from './chats/chats-state.js';
import { chatOf } from './chats/test-chats.js';
import { windowTitle } from './window-title.js';

const here = (title: string) => {
  const loading: ChatsState = { ...noChats, opened: { state: 'loading', id: 'c' } };
  return reduceChats(loading, { type: 'open', chat: { ...chatOf([], null), title } }).opened;
};
const { opened: none } = noChats;

it('is the title of the chat that is shown, and says that it is being answered', () => {
  const route = { page: 'chat', id: 'c' } as const;
  expect(windowTitle(route, here('Rainbows'), false)).toBe('Rainbows – Pilotlight');
  expect(windowTitle(route, here('Rainbows'), true)).toBe('Answering… · Rainbows – Pilotlight');
  expect(windowTitle(route, here(''), false)).toBe('New chat – Pilotlight');
});

it('is never that of the chat before', () => {
  const other = { page: 'chat', id: 'd' } as const;
  expect(windowTitle(other, here('Rainbows'), false)).toBe('Chat – Pilotlight');
  expect(windowTitle({ page: 'chat' }, here('Rainbows'), false)).toBe('New chat – Pilotlight');
  const missing = { state: 'missing', id: 'd' } as const;
  expect(windowTitle(other, missing, false)).toBe('This chat is not here – Pilotlight');
});

it('is the name of another page', () => {
  const models = { page: 'models', tab: 'installed', item: null } as const;
  expect(windowTitle(models, here('Rainbows'), false)).toBe('Models – Pilotlight');
  const settings = { page: 'settings', section: 'general', item: null } as const;
  expect(windowTitle(settings, none, true)).toBe('Answering… · Settings – Pilotlight');
  const developer = { page: 'developer', tab: 'log', item: null } as const;
  expect(windowTitle(developer, none, false)).toBe('Developer – Pilotlight');
  const welcome = { page: 'welcome', step: 'done' } as const;
  expect(windowTitle(welcome, none, false)).toBe('First run – Pilotlight');
});
