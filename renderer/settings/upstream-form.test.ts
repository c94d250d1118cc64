import { expect, it } from 'vitest';
import { putUpstreamSchema, type Upstream } from '../../protocol/upstreams.js';
import { putOf, upstreamForm } from './upstream-form.js';

const upstream: Upstream = {
  ...{ id: 'u', name: 'Office', url: 'http://10.0.0.5:8000/v1', models: ['a', 'b'] },
  ...{ enabled: true, has_key: true, health: 'healthy', reason: null, checked_at: 1, offered: [] },
};

it('sends what was typed, and leaves the key as it is', () => {
  const put = putOf(upstreamForm(upstream), false);
  expect(putUpstreamSchema.parse(put)).toEqual({
    ...{ name: 'Office', url: 'http://10.0.0.5:8000/v1', models: ['a', 'b'], enabled: false },
  });
});

it('takes ids by line or comma, each once, and none for all', () => {
  const form = { name: ' Box ', url: ' http://box ', key: ' secret ', models: 'a, b\n\n a\n' };
  expect(putOf(form, true)).toEqual({
    ...{ name: 'Box', url: 'http://box', models: ['a', 'b'], enabled: true, key: 'secret' },
  });
  expect(putOf(upstreamForm('new'), true)).toMatchObject({ models: null });
  expect(upstreamForm(null)).toEqual(upstreamForm('new'));
});
