/**
 * Totals by day, model and client. They are kept for good: the ledger's rows, from which they grow, are not. All of it
 * runs within a transaction of its caller.
 */
import type { RequestDraft } from '../../protocol/ledger.js';
import type { UsageCounts, UsageGroup, UsageRow } from '../../protocol/usage.js';
import type { Connection } from '../store/database.js';
import { statement } from '../store/statements.js';
import { dayOf } from './day.js';

/** Different clients of a day; user agents come from strangers, who could otherwise fill the disk with names. */
export const CLIENTS_A_DAY = 200;

/** Of all clients beyond. */
export const OTHER_CLIENT = 'other';

export interface UsageQuery {
  /** Both included. */
  from: string;
  to: string;
  groupBy: readonly UsageGroup[];
  /** Null: all. */
  model: string | null;
  client: string | null;
}

/** Adds a request that has ended. */
export function addUsage(connection: Connection, draft: RequestDraft): void {
  const { outcome, tokens } = draft;
  const day = dayOf(draft.began_at);
  statement(
    connection,
    `INSERT INTO usage (day, client, model, requests, failed, cancelled, prompt_tokens, cached_tokens, output_tokens)
     VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?)
     ON CONFLICT (day, client, model) DO UPDATE SET
       requests = requests + 1,
       failed = failed + excluded.failed,
       cancelled = cancelled + excluded.cancelled,
       prompt_tokens = prompt_tokens + excluded.prompt_tokens,
       cached_tokens = cached_tokens + excluded.cached_tokens,
       output_tokens = output_tokens + excluded.output_tokens`,
  ).run(
    day,
    clientOf(connection, day, draft.client),
    draft.model ?? '',
    Number(outcome === 'failed' || outcome === 'cut'),
    Number(outcome === 'left' || outcome === 'cancelled'),
    tokens?.prompt ?? 0,
    tokens?.cached ?? 0,
    tokens?.output ?? 0,
  );
}

function clientOf(connection: Connection, day: string, client: string): string {
  const known = statement(connection, 'SELECT 1 FROM usage WHERE day = ? AND client = ? LIMIT 1');
  if (known.get(day, client) !== undefined) return client;
  const counted = statement(
    connection,
    'SELECT count(DISTINCT client) AS clients FROM usage WHERE day = ? AND client <> ?',
  ).get(day, OTHER_CLIENT);
  return counted.clients < CLIENTS_A_DAY ? client : OTHER_CLIENT;
}

const SUMS = `
  total(requests) AS requests, total(failed) AS failed, total(cancelled) AS cancelled,
  total(prompt_tokens) AS prompt_tokens, total(cached_tokens) AS cached_tokens,
  total(output_tokens) AS output_tokens`;

const WHERE = `
  FROM usage WHERE day BETWEEN ?1 AND ?2 AND (?3 IS NULL OR model = ?3) AND (?4 IS NULL OR client = ?4)`;

/** @param limit Most rows to give. */
export function usageRows(connection: Connection, query: UsageQuery, limit: number): UsageRow[] {
  const { from, to, groupBy, model, client } = query;
  if (groupBy.length === 0) return [];
  const columns = groupBy.join(', ');
  return statement(
    connection,
    `SELECT ${columns}, ${SUMS} ${WHERE} GROUP BY ${columns} ORDER BY ${columns} LIMIT ?5`,
  )
    .all(from, to, model, client, limit)
    .map((row) => ({ ...row }));
}

export function usageTotal(connection: Connection, query: UsageQuery): UsageCounts {
  const { from, to, model, client } = query;
  return { ...statement(connection, `SELECT ${SUMS} ${WHERE}`).get(from, to, model, client) };
}
