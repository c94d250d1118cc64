/** GET /v1/usage. */
import type { Request, Response } from 'express';
import { USAGE_GROUPS, type Usage, type UsageGroup } from '../../protocol/usage.js';
import { invalidRequest } from '../http/errors.js';
import { queryOf } from '../http/query.js';
import type { Services } from '../services.js';
import { dayOf, daysBefore, isDay } from './day.js';
import { type UsageQuery, usageRows, usageTotal } from './usage-table.js';

/** Days that are told of where no first one is named, the last one included. */
const USUAL_DAYS = 30;

/** Rows of one answer: some megabytes. */
const ROWS_MAX = 20_000;

const PARAMETERS = ['from', 'to', 'group_by', 'model', 'client'];

export function usage({ database }: Services) {
  return (req: Request, res: Response): void => {
    const query = readQuery(queryOf(req), dayOf(Date.now()));
    const { from, to, groupBy } = query;
    const { total, data } = database.read((connection) => ({
      total: usageTotal(connection, query),
      data: usageRows(connection, query, ROWS_MAX + 1),
    }));
    if (data.length > ROWS_MAX) {
      throw invalidRequest(
        `These are more than ${ROWS_MAX.toLocaleString('en-US')} rows: ask for fewer days, or group by less.`,
        'group_by',
      );
    }
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    const answer: Usage = {
      object: 'usage',
      ...{ from, to, timezone, group_by: [...groupBy], total, data },
    };
    res.json(answer);
  };
}

/** @throws ApiError that names the parameter. */
export function readQuery(query: URLSearchParams, today: string): UsageQuery {
  for (const name of query.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw invalidRequest(
        `There is no parameter "${name.slice(0, 100)}" here, but ${PARAMETERS.join(', ')}.`,
        name.slice(0, 100),
      );
    }
    if (query.getAll(name).length > 1) throw invalidRequest(`${name} must come once.`, name);
    // SQLite would take what is before it only.
    if (query.get(name)?.includes('\0')) {
      throw invalidRequest(`${name} must not hold a NUL character.`, name);
    }
  }
  const to = readDay(query, 'to') ?? today;
  const from = readDay(query, 'from') ?? daysBefore(to, USUAL_DAYS - 1);
  if (from > to) throw invalidRequest(`from must not be after to, which is ${to}.`, 'from');
  return {
    ...{ from, to, groupBy: readGroups(query.get('group_by')) },
    ...{ model: query.get('model'), client: query.get('client') },
  };
}

function readDay(query: URLSearchParams, name: 'from' | 'to'): string | null {
  const text = query.get(name);
  if (text !== null && !isDay(text)) {
    throw invalidRequest(`${name} must be a day such as 2026-11-30.`, name);
  }
  return text;
}

/** In the order of the rows, whatever the order in the query. */
function readGroups(text: string | null): UsageGroup[] {
  if (text === null) return [...USAGE_GROUPS];
  const names = text === '' ? [] : text.split(',').map((name) => name.trim());
  const isKnown = (name: string) => USAGE_GROUPS.some((group) => group === name);
  if (!names.every(isKnown)) {
    throw invalidRequest(
      `group_by must be any of ${USAGE_GROUPS.join(', ')}, with commas between them, or empty.`,
      'group_by',
    );
  }
  return USAGE_GROUPS.filter((group) => names.includes(group));
}
