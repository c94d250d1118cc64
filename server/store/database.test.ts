import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, Database } from './database.js';
import { MIGRATIONS } from './migrations.js';

let dataDir: string;
const opened: Database[] = [];
beforeEach(async () => {
  dataDir = path.join(await mkdtemp(path.join(os.tmpdir(), 'database-')), 'tést 模型');
});
afterEach(async () => {
  for (const database of opened.splice(0)) database.close();
  await rm(path.dirname(dataDir), { recursive: true, force: true });
});

const file = () => path.join(dataDir, 'pilotlight.sqlite');

function open(onChange?: () => void): Database {
  const database = new Database(dataDir, onChange);
  opened.push(database);
  return database;
}

const put = (id: string) => (connection: Connection) => {
  connection
    .prepare('INSERT INTO responses (id, used_at, bytes, response) VALUES (?, 0, 0, ?)')
    .run(id, '{}');
};
const idsIn = (database: Database) =>
  database.read((connection) =>
    connection
      .prepare('SELECT id FROM responses ORDER BY id')
      .all()
      .map(({ id }) => id),
  );

/** A file that has taken the first steps only, with a row for each table of them. */
function writeVersion(version: number): void {
  mkdirSync(dataDir, { recursive: true });
  const old = new DatabaseSync(file());
  for (const step of MIGRATIONS.slice(0, version)) old.exec(step);
  old.exec(`PRAGMA user_version = ${version}`);
  old.close();
}

const schemaOf = (database: Database) =>
  database.read((connection) => connection.prepare('SELECT sql FROM sqlite_schema').all());

describe('a database', () => {
  it('is there at the next start, for the eyes of its person only', () => {
    const database = open();
    expect(database.tryWrite('Responses', put('a'))).toBe(true);
    if (process.platform !== 'win32') {
      for (const name of readdirSync(dataDir)) {
        expect(statSync(path.join(dataDir, name)).mode & 0o777, name).toBe(0o600);
      }
    }
    database.close();
    expect(idsIn(open())).toEqual(['a']);
    expect(database.notices()).toEqual([]);
  });

  // Windows lets nobody remove an open file.
  it.skipIf(process.platform === 'win32')('begins a new file where somebody removes it', () => {
    let changes = 0;
    const database = open(() => changes++);
    expect(database.tryWrite('Responses', put('a'))).toBe(true);
    for (const name of readdirSync(dataDir)) rmSync(path.join(dataDir, name));
    expect(database.tryWrite('Responses', put('b'))).toBe(true);
    expect(database.notices()).toEqual([expect.stringContaining('removed')]);
    expect(changes).toBe(1);
    database.close();
    expect(idsIn(open())).toEqual(['b']);
  });

  it('comes from each earlier version to the same one', () => {
    const newest = schemaOf(open());
    for (let version = 0; version < MIGRATIONS.length; version++) {
      for (const database of opened.splice(0)) database.close();
      for (const name of readdirSync(dataDir)) {
        if (name.startsWith('pilotlight.')) writeFileSync(path.join(dataDir, name), '');
      }
      writeVersion(version);
      const database = open();
      expect(schemaOf(database)).toEqual(newest);
      expect(database.notices()).toEqual([]);
    }
  });

  it('changes nothing where the work fails', () => {
    const database = open();
    expect(() =>
      database.write((connection) => {
        put('a')(connection);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(idsIn(database)).toEqual([]);
  });

  it('is shared by two servers on one folder', () => {
    const [one, two] = [open(), open()];
    one.write(put('a'));
    two.write(put('b'));
    expect(idsIn(one)).toEqual(['a', 'b']);
  });

  it('outlives a process that is killed while it writes', () => {
    open().write(put('a'));
    const script = `
      const { DatabaseSync } = require(${JSON.stringify(createRequire(import.meta.url).resolve('@photostructure/sqlite'))});
      const db = new DatabaseSync(process.argv[1]);
      db.exec('BEGIN IMMEDIATE');
      db.exec("INSERT INTO responses (id, used_at, bytes, response) VALUES ('lost', 0, 0, '{}')");
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['-e', script, file()]);
    expect(idsIn(open())).toEqual(['a']);
  });
});

describe('a damaged file', () => {
  it('is kept aside at the start and told of', () => {
    mkdirSync(dataDir, { recursive: true });
    const damaged = 'This is no database. '.repeat(100);
    writeFileSync(file(), damaged);
    const database = open();
    const kept = readdirSync(dataDir).find((name) => name.includes('damaged')) ?? '';
    expect(readFileSync(path.join(dataDir, kept), 'utf8')).toBe(damaged);
    expect(database.notices()).toEqual([expect.stringContaining(kept)]);
    expect(database.tryWrite('Responses', put('a'))).toBe(true);
  });

  it('is kept aside when it turns out later, and what was asked is done all the same', () => {
    let changes = 0;
    const first = open();
    for (let i = 0; i < 200; i++) first.write(put(`row-${i}-${'x'.repeat(50)}`));
    const sql = "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'responses' AND rootpage > 0";
    const roots = first.read((connection) => connection.prepare(sql).all());
    first.close();
    const bytes = readFileSync(file());
    // The schema stays whole; the table and its indices do not.
    const page = bytes.readUInt16BE(16);
    for (const { rootpage } of roots) {
      bytes.fill(0x5a, (Number(rootpage) - 1) * page, Number(rootpage) * page);
    }
    writeFileSync(file(), bytes);
    const database = open(() => changes++);
    expect(database.notices()).toEqual([]);
    expect(database.tryWrite('Responses', put('a'))).toBe(true);
    expect(idsIn(database)).toEqual(['a']);
    expect(database.notices()).toEqual([expect.stringContaining('damaged')]);
    expect(readdirSync(dataDir).some((name) => name.includes('damaged'))).toBe(true);
    expect(changes).toBeGreaterThan(0);
  });
});

describe('a file that cannot be used', () => {
  it('is a notice, and all holds until the server stops', () => {
    mkdirSync(file(), { recursive: true });
    const database = open();
    expect(database.tryWrite('Responses', put('a'))).toBe(true);
    expect(idsIn(database)).toEqual(['a']);
    expect(database.notices()).toEqual([expect.stringContaining('cannot be used (EISDIR)')]);
  });

  it('is left alone where a newer version has made it', () => {
    writeVersion(0);
    const newer = new DatabaseSync(file());
    newer.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    newer.close();
    const before = readFileSync(file());
    const database = open();
    database.tryWrite('Responses', put('a'));
    expect(database.notices()).toEqual([expect.stringContaining('a newer version of Pilotlight')]);
    database.close();
    expect(readFileSync(file()).equals(before)).toBe(true);
  });
});

it('tells of a write that fails, until one succeeds again', () => {
  const told: string[][] = [];
  const database: Database = open(() => told.push(database.notices()));
  // As full as a disk can be.
  database.write((connection) => connection.exec('PRAGMA max_page_count = 1'));
  const large = (connection: Connection) =>
    void connection
      .prepare('INSERT INTO responses (id, used_at, bytes, response) VALUES (?, 0, 0, ?)')
      .run('b', 'x'.repeat(100_000));
  expect(database.tryWrite('Responses', large)).toBe(false);
  expect(database.notices()).toEqual([
    expect.stringMatching(/^Responses cannot be kept in .*full/),
  ]);
  database.write((connection) => connection.exec('PRAGMA max_page_count = 100000'));
  expect(database.tryWrite('Responses', large)).toBe(true);
  expect(told).toEqual([[expect.any(String)], []]);
});
