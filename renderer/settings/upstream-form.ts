import type { PutUpstream, Upstream } from '../../protocol/upstreams.js';

/** An upstream as it is typed. */
export interface UpstreamForm {
  name: string;
  url: string;
  key: string;
  /** One id a line; empty: all. */
  models: string;
}

const EMPTY: UpstreamForm = { name: '', url: '', key: '', models: '' };

export function upstreamForm(upstream: Upstream | 'new' | null): UpstreamForm {
  if (upstream === null || upstream === 'new') return EMPTY;
  const { name, url, models } = upstream;
  return { name, url, key: '', models: models?.join('\n') ?? '' };
}

/** What is sent. A key that is left empty stays as it is. */
export function putOf(form: UpstreamForm, enabled: boolean): PutUpstream {
  const ids = form.models.split(/[\n,]/).map((id) => id.trim());
  const models = [...new Set(ids.filter((id) => id !== ''))];
  const key = form.key.trim();
  return {
    name: form.name.trim(),
    url: form.url.trim(),
    models: models.length === 0 ? null : models,
    enabled,
    ...(key === '' ? {} : { key }),
  };
}
