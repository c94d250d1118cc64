/**
 * Search in all chats. Words of three characters and more are looked up in the full-text index, which knows texts by
 * each three characters in a row, so that parts of words are found and languages that write without spaces too; shorter
 * ones are looked for in what that leaves, or in all. Nothing of the person's text is syntax.
 */
import type { ChatSearch } from '../../protocol/chats.js';
import type { Connection, Database } from '../store/database.js';
import { statement } from '../store/statements.js';
import { excerptOf, fold, hitsIn } from './excerpt.js';

/** As many as anybody looks through. */
const RESULTS = 100;

/** More words make no sense, and each costs a lookup. */
const WORDS = 20;

/** Characters in a row by which the index knows texts. */
const INDEXED = 3;

type Result = ChatSearch['results'][number];

export function searchChats(database: Database, query: string): ChatSearch {
  const words = wordsOf(query);
  if (words.length === 0) return { results: [] };
  return database.read((connection) => {
    const results = [...inTitles(connection, words.map(fold)), ...inMessages(connection, words)];
    return { results: results.slice(0, RESULTS) };
  });
}

function wordsOf(query: string): string[] {
  const words = query.normalize('NFC').split(/[\s\0]+/u);
  return [...new Set(words)].filter((word) => fold(word) !== '').slice(0, WORDS);
}

function inTitles(connection: Connection, words: readonly string[]): Result[] {
  return statement(
    connection,
    `SELECT id, title, archived, updated_at FROM chats
     WHERE deleted_at IS NULL AND title <> '' ORDER BY updated_at DESC`,
  )
    .all()
    .flatMap((row): Result[] => {
      const title = row.title as string;
      if (!hasAll(title, words)) return [];
      return [
        {
          chat_id: row.id as string,
          message_id: null,
          title,
          archived: row.archived === 1,
          excerpt: excerptOf(title, words),
          at: row.updated_at as number,
        },
      ];
    });
}

const COLUMNS = `m.id, m.chat_id, m.text, m.created_at, c.title, c.archived
  FROM chat_messages m JOIN chats c ON c.id = m.chat_id`;

function inMessages(connection: Connection, words: readonly string[]): Result[] {
  const isIndexed = (word: string) => [...word].length >= INDEXED;
  const indexed = words.filter(isIndexed);
  const short = words.filter((word) => !isIndexed(word)).map(spellings);
  const like = (spelled: readonly string[]) =>
    `(${spelled.map(() => "m.text LIKE ? ESCAPE '\\'").join(' OR ')})`;
  const isThere = ['m.deleted_at IS NULL AND c.deleted_at IS NULL', ...short.map(like)].join(
    ' AND ',
  );
  const patterns = short.flat().map(pattern);
  // The index folds words in its own way.
  const rows =
    indexed.length > 0
      ? connection
          .prepare(
            `SELECT ${COLUMNS} JOIN chat_text ON chat_text.rowid = m.seq
             WHERE chat_text MATCH ? AND ${isThere} ORDER BY chat_text.rank LIMIT ${RESULTS}`,
          )
          .all(indexed.map(quoted).join(' AND '), ...patterns)
      : connection
          .prepare(`SELECT ${COLUMNS} WHERE ${isThere} ORDER BY m.seq DESC LIMIT ${RESULTS}`)
          .all(...patterns);
  const folded = words.map(fold);
  return rows.map((row) => ({
    chat_id: row.chat_id as string,
    message_id: row.id as string,
    title: row.title as string,
    archived: row.archived === 1,
    excerpt: excerptOf(row.text as string, folded),
    at: row.created_at as number,
  }));
}

/** SQLite's LIKE knows the case of English letters only. */
function spellings(word: string): string[] {
  const lower = word.toLowerCase();
  const upper = word.toUpperCase();
  const [first = '', ...rest] = lower;
  return [...new Set([word, lower, upper, first.toUpperCase() + rest.join('')])];
}

/** In which nothing has a meaning of its own. */
const pattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

const hasAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => hitsIn(text, [word]).length > 0);

/** A string of FTS5 in which nothing has a meaning of its own. */
const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`;
