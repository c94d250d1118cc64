// Databases of each version that was released, with rows in them, are opened by this one.
import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connection, Database, databaseFileOf } from './database.js';
import { MIGRATIONS } from './migrations.js';

/** Versions with a file of their own in test-versions. */
const RELEASED = [1, 2, 3, 4, 5];

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'migrations-'));
  mkdirSync(dataDir, { recursive: true });
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

function openVersion(version: number): Connection {
  const connection = new DatabaseSync(databaseFileOf(dataDir));
  const file = path.join(import.meta.dirname, 'test-versions', `${version}.sql`);
  connection.exec(readFileSync(file, 'utf8'));
  return connection;
}

const tablesIn = (connection: Connection): string[] =>
  connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name as string);

/** Of each table; later versions may add some. */
const columnsIn = (connection: Connection): [table: string, columns: string][] =>
  tablesIn(connection).map((table) => {
    const rows = connection.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
    return [table, rows.map(({ name }) => `"${name}"`).join()];
  });

/** All rows by their table. */
function rowsIn(
  connection: Connection,
  tables: readonly [table: string, columns: string][],
): Record<string, unknown[]> {
  return Object.fromEntries(
    tables.map(([table, columns]) => [
      table,
      connection.prepare(`SELECT ${columns} FROM ${table}`).all(),
    ]),
  );
}

const schemaIn = (connection: Connection): unknown[] =>
  connection.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();

it.each(RELEASED)('version %i loses no row, and becomes the newest', (version) => {
  const old = openVersion(version);
  const tables = columnsIn(old);
  const before = rowsIn(old, tables);
  old.close();
  for (const [table] of tables) expect([table, before[table]?.length]).not.toEqual([table, 0]);
  const database = new Database(dataDir);
  expect(database.notices()).toEqual([]);
  expect(database.read((connection) => rowsIn(connection, tables))).toEqual(before);
  expect(database.read((connection) => connection.prepare('PRAGMA user_version').get())).toEqual({
    user_version: MIGRATIONS.length,
  });
  expect(
    database.read((connection) => connection.prepare('PRAGMA foreign_key_check').all()),
  ).toEqual([]);
  const newest = new DatabaseSync(':memory:');
  for (const step of MIGRATIONS) newest.exec(step);
  const names = (connection: Connection) =>
    schemaIn(connection).map((row) => (row as { name: string }).name);
  expect(database.read(names)).toEqual(names(newest));
  newest.close();
  database.close();
});

it.each(RELEASED)('version %i is what its steps make', (version) => {
  const frozen = openVersion(version);
  const made = new DatabaseSync(':memory:');
  for (const step of MIGRATIONS.slice(0, version)) made.exec(step);
  const columns = (connection: Connection) =>
    tablesIn(connection).map((table) => [
      table,
      connection.prepare(`SELECT * FROM pragma_table_xinfo('${table}')`).all(),
      connection.prepare(`SELECT * FROM pragma_foreign_key_list('${table}')`).all(),
      connection.prepare(`SELECT * FROM pragma_index_list('${table}')`).all(),
    ]);
  expect(columns(frozen)).toEqual(columns(made));
  frozen.close();
  made.close();
});
