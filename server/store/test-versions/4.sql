-- A database of version 4 as it was released, with a row or two in each table.
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

INSERT INTO responses VALUES ('resp_a', NULL, 1764500000000, 120, '{"id":"resp_a","object":"response","output":[]}');
INSERT INTO responses VALUES ('resp_b', 'resp_a', 1764500001000, 80, '{"id":"resp_b","object":"response","output":[]}');
INSERT INTO response_items VALUES ('resp_a', 0, 0, 'msg_a', '{"type":"message","id":"msg_a","role":"user","content":"Grüße, 世界"}');
INSERT INTO response_items VALUES ('resp_a', 1, 0, 'msg_b', '{"type":"message","id":"msg_b","role":"assistant","content":"It''s me."}');
INSERT INTO ledger (id, written_at, row, signature) VALUES ('rcpt_a', 1764500000000, '{"kind":"request","id":"rcpt_a"}', x'00ff10');
INSERT INTO ledger_open VALUES ('rcpt_b', 'running-0123456789abcdef01234567.lock', '{"kind":"request","id":"rcpt_b"}');
INSERT INTO model_files VALUES ('stamp', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
INSERT INTO usage VALUES ('2026-11-30', 'window', 'guide', 3, 1, 1, 120, 40, 60);
INSERT INTO chat_folders VALUES ('folder_a', 'Küche', 0);
INSERT INTO chats (id, title, title_by, folder_id, pinned, archived, created_at, updated_at, model, settings, draft, leaf_id) VALUES ('chat_a', 'Rainbows', 'model', 'folder_a', 1, 0, 1764500000000, 1764500002000, 'guide', '{"system_prompt":"Be brief."}', 'And the', 'msg_d');
INSERT INTO chats (id, title, folder_id, created_at, updated_at, settings, deleted_at) VALUES ('chat_b', '', NULL, 1764500000000, 1764500000000, '{}', 1764500003000);
INSERT INTO chat_messages (id, chat_id, parent_id, role, created_at, text) VALUES ('msg_c', 'chat_a', NULL, 'user', 1764500000000, 'Warum ist der Regenbogen rund? 虹');
INSERT INTO chat_messages (id, chat_id, parent_id, role, created_at, edited_at, text, model, status, parts, measure) VALUES ('msg_d', 'chat_a', 'msg_c', 'assistant', 1764500001000, 1764500002000, 'It''s the angle.', 'guide', 'complete', '[{"type":"text","text":"It''s the angle."}]', '{"prompt_tokens":9}');
INSERT INTO chat_messages (id, chat_id, parent_id, role, created_at, text, model, status, parts, failure, deleted_at, deleted_with) VALUES ('msg_e', 'chat_a', 'msg_c', 'assistant', 1764500001000, '', 'guide', 'failed', '[]', '{"code":"queue_full","message":"Busy.","retry_after":2}', 1764500003000, 'msg_e');
INSERT INTO presets VALUES ('preset_a', 'Pirate', 'Speak as a pirate.');

PRAGMA user_version = 4;
