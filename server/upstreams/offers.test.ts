import { describe, expect, it } from 'vitest';
import { bareModel } from './model-list.js';
import { findOffer, mergeOffers, type Supply } from './offers.js';

const supply = (name: string, ...ids: string[]): Supply<string> => ({
  source: name,
  name,
  models: ids.map(bareModel),
});

const supplies = [supply('box', 'a', 'b'), supply('rack', 'b', 'c')];
const merged = (...local: string[]) => mergeOffers(supplies, (id) => local.includes(id));
const told = (offers: ReturnType<typeof merged>) =>
  offers.map(({ id, candidates }) => `${id}: ${candidates.map(({ source }) => source).join()}`);

describe('the models of upstreams', () => {
  it('are listed once, with all who have them in order', () => {
    expect(told(merged())).toEqual(['a: box', 'b: box,rack', 'c: rack']);
  });

  it('leave its name to a model of this machine', () => {
    expect(told(merged('b'))).toEqual(['a: box', 'box/b: box', 'rack/b: rack', 'c: rack']);
  });

  it('are found by their ids, and by the name of an upstream there and nowhere else', () => {
    expect(told([findOffer(merged(), 'b')].flatMap((offer) => offer ?? []))).toEqual([
      'b: box,rack',
    ]);
    expect(findOffer(merged(), 'rack/b')?.candidates.map(({ source }) => source)).toEqual(['rack']);
    expect(findOffer(merged('b'), 'rack/b')?.candidates.map(({ source }) => source)).toEqual([
      'rack',
    ]);
    expect(findOffer(merged(), 'rack/a')).toBeNull();
    expect(findOffer(merged('b'), 'b')).toBeNull();
  });
});
