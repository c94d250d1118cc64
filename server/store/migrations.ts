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
  `
  CREATE TABLE ledger (
    -- Place in the chain, from 1 without gaps. Autoincrement remembers the last one that was given, so that it shows
    -- where the last rows are missing.
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Of a request's receipt; null: a row of another kind.
    id TEXT UNIQUE,
    -- Milliseconds since 1970.
    written_at INTEGER NOT NULL,
    -- Its canonical form, which is hashed and signed.
    row TEXT NOT NULL,
    signature BLOB NOT NULL
  ) STRICT;

  -- Requests that have not ended.
  CREATE TABLE ledger_open (
    id TEXT PRIMARY KEY,
    -- The lock that its server holds as long as it lives.
    owner TEXT NOT NULL,
    -- JSON of the row that it gets where its server is gone.
    draft TEXT NOT NULL
  ) STRICT;

  CREATE TABLE model_files (
    -- What tells the files of a model, as they are, from all others.
    stamp TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Sums of the ledger's rows, which stay when those go.
  CREATE TABLE usage (
    -- In the time zone that the machine had, such as "2026-11-30".
    day TEXT NOT NULL,
    client TEXT NOT NULL,
    -- Empty: none was chosen.
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    PRIMARY KEY (day, client, model)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE chat_folders (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    position INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE chats (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    -- "person" or "model"; null: its question's first words.
    title_by TEXT,
    folder_id TEXT REFERENCES chat_folders (id) ON DELETE SET NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    -- Milliseconds since 1970, as all times here.
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- That answered last.
    model TEXT,
    -- JSON.
    settings TEXT NOT NULL,
    draft TEXT NOT NULL DEFAULT '',
    -- No foreign key: the message names its chat.
    leaf_id TEXT,
    -- Null: it is there. Others go for good after a while.
    deleted_at INTEGER
  ) STRICT;
  CREATE INDEX chats_by_use ON chats (updated_at);
  CREATE INDEX chats_by_folder ON chats (folder_id);

  CREATE TABLE chat_messages (
    -- In order of making; the row of the full-text index has the same.
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    -- Looked at at the end of a transaction, in which a whole branch may go: a cascade from message to message would end
    -- at a depth of 1,000.
    parent_id TEXT REFERENCES chat_messages (id) DEFERRABLE INITIALLY DEFERRED,
    -- "user" or "assistant".
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    edited_at INTEGER,
    -- What is searched: a question, or an answer's text. Empty while an answer runs, so that it is indexed once.
    text TEXT NOT NULL,
    -- Of answers only, down to the next line.
    model TEXT,
    status TEXT,
    -- JSON: parts, failure, measure.
    parts TEXT,
    failure TEXT,
    measure TEXT,
    -- The lock of the server that writes it, while it runs.
    owner TEXT,

    deleted_at INTEGER,
    -- The message whose deletion took this one along, or this one.
    deleted_with TEXT
  ) STRICT;
  CREATE INDEX chat_messages_by_chat ON chat_messages (chat_id, seq);
  CREATE INDEX chat_messages_by_parent ON chat_messages (parent_id);
  CREATE INDEX chat_messages_running ON chat_messages (owner) WHERE owner IS NOT NULL;

  CREATE VIRTUAL TABLE chat_text USING fts5 (
    text, content = 'chat_messages', content_rowid = 'seq', tokenize = 'trigram remove_diacritics 1'
  );
  -- What is deleted leaves the index at once, too.
  INSERT INTO chat_text (chat_text, rank) VALUES ('secure-delete', 1);
  CREATE TRIGGER chat_text_inserted AFTER INSERT ON chat_messages BEGIN
    INSERT INTO chat_text (rowid, text) VALUES (new.seq, new.text);
  END;
  CREATE TRIGGER chat_text_deleted AFTER DELETE ON chat_messages BEGIN
    INSERT INTO chat_text (chat_text, rowid, text) VALUES ('delete', old.seq, old.text);
  END;
  CREATE TRIGGER chat_text_updated AFTER UPDATE OF text ON chat_messages WHEN old.text <> new.text BEGIN
    INSERT INTO chat_text (chat_text, rowid, text) VALUES ('delete', old.seq, old.text);
    INSERT INTO chat_text (rowid, text) VALUES (new.seq, new.text);
  END;

  CREATE TABLE presets (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    system_prompt TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Of a chat that has come in: program and id there, by which it is known when it comes once more.
  ALTER TABLE chats ADD COLUMN source TEXT;
  `,
  `
  CREATE TABLE attachments (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    -- "text" or "image".
    kind TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    -- Of the text that goes to the model; null: an image.
    characters INTEGER,
    pages INTEGER,
    -- Only so many go to the model; null: all.
    first_pages INTEGER,
    width INTEGER,
    height INTEGER,
    notice TEXT,
    -- The name of its file in the folder "attachments".
    sha256 TEXT NOT NULL,
    -- When it came in last.
    used_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX attachments_by_content ON attachments (sha256, name, coalesce(first_pages, 0));

  CREATE TABLE message_attachments (
    message_id TEXT NOT NULL REFERENCES chat_messages (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    attachment_id TEXT NOT NULL REFERENCES attachments (id),
    PRIMARY KEY (message_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX message_attachments_by_attachment ON message_attachments (attachment_id);

  CREATE TABLE draft_attachments (
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    attachment_id TEXT NOT NULL REFERENCES attachments (id),
    PRIMARY KEY (chat_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX draft_attachments_by_attachment ON draft_attachments (attachment_id);

  -- Contents that nothing has any more and whose files are still there.
  CREATE TABLE attachment_erasures (
    sha256 TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  `,
];
