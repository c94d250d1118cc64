/** What a person sets of an upstream, on its way to being kept. Pure. */
import type { PutUpstream } from '../../protocol/upstreams.js';
import { invalidRequest } from '../http/errors.js';
import { PRINTABLE } from '../printable.js';
import { baseUrl, baseUrlProblem } from './address.js';

/** All that a header takes for certain. */
const KEY = /^[\x21-\x7e]+$/;

/**
 * Without the spaces and line breaks that come along where something is pasted.
 * @throws ApiError 400 that names the field, and never tells a key.
 */
export function checkedPut({ name, url, models, enabled, key }: PutUpstream): PutUpstream {
  const problem = baseUrlProblem(url);
  if (problem !== null) throw invalidRequest(problem, 'url');
  const trimmed = name.trim();
  if (trimmed === '') throw invalidRequest('name must be a text that is not empty.', 'name');
  if (!PRINTABLE.test(trimmed)) {
    throw invalidRequest('name must be a text without control characters.', 'name');
  }
  const unusual = (models ?? []).findIndex((id) => !PRINTABLE.test(id));
  if (unusual >= 0) {
    throw invalidRequest(`models[${unusual}] has control characters, as no id has.`, 'models');
  }
  return {
    ...{ name: trimmed, url: baseUrl(url), enabled },
    models: models === null ? null : [...new Set(models)],
    ...(key === undefined ? {} : { key: key === null ? null : checkedKey(key) }),
  };
}

function checkedKey(given: string): string {
  const key = given.trim();
  if (!KEY.test(key)) {
    throw invalidRequest('A key has letters, digits and signs only, such as "sk-…".', 'key');
  }
  return key;
}
