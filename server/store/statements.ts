import type { Connection } from './database.js';

type Statement = ReturnType<Connection['prepare']>;

/** By connection, because the database opens another one where its file is damaged or removed. */
const compiled = new WeakMap<Connection, Map<string, Statement>>();

/** A statement that is compiled once for each connection. Not for two uses at the same time, as by `iterate`. */
export function statement(connection: Connection, sql: string): Statement {
  let known = compiled.get(connection);
  if (known === undefined) {
    known = new Map();
    compiled.set(connection, known);
  }
  const found = known.get(sql) ?? connection.prepare(sql);
  known.set(sql, found);
  return found;
}
