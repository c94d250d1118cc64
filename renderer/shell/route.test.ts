import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MODELS_TABS, parseRoute, type Route, routeHash, SETTINGS_SECTIONS } from './route.js';

it.each([
  ['', { page: 'chat' }],
  ['#', { page: 'chat' }],
  ['#/', { page: 'chat' }],
  ['#/elsewhere', { page: 'chat' }],
  ['#/chat', { page: 'chat' }],
  ['#/chat/', { page: 'chat' }],
  ['#/chat/abc', { page: 'chat', id: 'abc' }],
  ['#/chat/abc/', { page: 'chat', id: 'abc' }],
  ['#/chat/abc/m1', { page: 'chat', id: 'abc', message: 'm1' }],
  ['#/chat/%E0%A4%A', { page: 'chat' }],
  ['#/models', { page: 'models', tab: 'installed', item: null }],
  ['#/models/', { page: 'models', tab: 'installed', item: null }],
  ['#/models/nonsense', { page: 'models', tab: 'installed', item: null }],
  ['#/models/downloads/more', { page: 'models', tab: 'downloads', item: null }],
  ['#/models/discover/owner/name', { page: 'models', tab: 'discover', item: 'owner/name' }],
  ['#/models/settings', { page: 'settings', section: 'models', item: null }],
  ['#/settings', { page: 'settings', section: 'general', item: null }],
  ['#/settings/nonsense', { page: 'settings', section: 'general', item: null }],
  ['#/settings/appearance/theme', { page: 'settings', section: 'appearance', item: 'theme' }],
  ['#/welcome', { page: 'welcome', step: 'folder' }],
  ['#/welcome/nonsense', { page: 'welcome', step: 'folder' }],
  ['#/welcome/model', { page: 'welcome', step: 'model' }],
  ['#/models/installed/%E0%A4%A', { page: 'models', tab: 'installed', item: null }],
])('parseRoute(%j)', (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

it('finds every route again in its hash', () => {
  const part = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('/'));
  const item = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const chat = fc.record(
    { page: fc.constant('chat' as const), id: part, message: part },
    { requiredKeys: ['page', 'id'] },
  );
  const models = fc.record({
    page: fc.constant('models' as const),
    tab: fc.constantFrom(...MODELS_TABS),
    item: fc.option(item),
  });
  fc.assert(
    fc.property(models, (made) => {
      const hasItem = made.tab === 'installed' || made.tab === 'discover';
      const route: Route = { ...made, item: hasItem ? made.item : null };
      expect(parseRoute(routeHash(route))).toEqual(route);
    }),
  );
  fc.assert(
    fc.property(chat, (route) => {
      expect(parseRoute(routeHash(route))).toEqual(route);
    }),
  );
  for (const section of SETTINGS_SECTIONS) {
    const route: Route = { page: 'settings', section, item: null };
    expect(parseRoute(routeHash(route))).toEqual(route);
  }
  expect(parseRoute(routeHash({ page: 'chat' }))).toEqual({ page: 'chat' });
});
