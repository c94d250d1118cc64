/**
 * The steps from an empty database to the newest one. A database's `user_version` is how many of them it has taken: a
 * step that has been released never changes.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE responses (
    id TEXT PRIMARY KEY,
    -- The response that it goes on from. No foreign key: that one may be deleted.
    previous_id TEXT,
    -- Milliseconds since 1970: made, or gone on from, last.
    used_at INTEGER NOT NULL,
    -- Of its texts and its items' texts.
    bytes INTEGER NOT NULL,
    -- JSON of the whole object, its output left empty.
    response TEXT NOT NULL
  ) STRICT;
  CREATE INDEX responses_by_use ON responses (used_at, bytes);

  CREATE TABLE response_items (
    response_id TEXT NOT NULL REFERENCES responses (id) ON DELETE CASCADE,
    -- 0: of the input, 1: of the output.
    is_output INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    -- JSON.
    item TEXT NOT NULL,
    PRIMARY KEY (response_id, is_output, position)
  ) STRICT;
  CREATE INDEX response_items_by_id ON response_items (id);
  `,
];
