-- A database of version 2 as it was released, with a row or two in each table.
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

INSERT INTO responses VALUES ('resp_a', NULL, 1764500000000, 120, '{"id":"resp_a","object":"response","output":[]}');
INSERT INTO responses VALUES ('resp_b', 'resp_a', 1764500001000, 80, '{"id":"resp_b","object":"response","output":[]}');
INSERT INTO response_items VALUES ('resp_a', 0, 0, 'msg_a', '{"type":"message","id":"msg_a","role":"user","content":"Grüße, 世界"}');
INSERT INTO response_items VALUES ('resp_a', 1, 0, 'msg_b', '{"type":"message","id":"msg_b","role":"assistant","content":"It''s me."}');
INSERT INTO ledger (id, written_at, row, signature) VALUES ('rcpt_a', 1764500000000, '{"kind":"request","id":"rcpt_a"}', x'00ff10');
INSERT INTO ledger_open VALUES ('rcpt_b', 'running-0123456789abcdef01234567.lock', '{"kind":"request","id":"rcpt_b"}');
INSERT INTO model_files VALUES ('stamp', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');

PRAGMA user_version = 2;
