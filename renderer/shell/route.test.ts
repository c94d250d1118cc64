import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MODELS_TABS, parseRoute, type Route, routeHash } from './route.js';

it.each([
  ['', { page: 'chat' }],
  ['#', { page: 'chat' }],
  ['#/', { page: 'chat' }],
  ['#/elsewhere', { page: 'chat' }],
  ['#/models', { page: 'models', tab: 'installed', item: null }],
  ['#/models/', { page: 'models', tab: 'installed', item: null }],
  ['#/models/nonsense', { page: 'models', tab: 'installed', item: null }],
  ['#/models/downloads/more', { page: 'models', tab: 'downloads', item: null }],
  ['#/models/discover/owner/name', { page: 'models', tab: 'discover', item: 'owner/name' }],
  ['#/models/installed/%E0%A4%A', { page: 'models', tab: 'installed', item: null }],
])('parseRoute(%j)', (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

it('finds every route again in its hash', () => {
  const part = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('/'));
  const item = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
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
  expect(parseRoute(routeHash({ page: 'chat' }))).toEqual({ page: 'chat' });
});
