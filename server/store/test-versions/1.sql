-- A database of version 1 as it was released, with a row or two in each table.
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

INSERT INTO responses VALUES ('resp_a', NULL, 1764500000000, 120, '{"id":"resp_a","object":"response","output":[]}');
INSERT INTO responses VALUES ('resp_b', 'resp_a', 1764500001000, 80, '{"id":"resp_b","object":"response","output":[]}');
INSERT INTO response_items VALUES ('resp_a', 0, 0, 'msg_a', '{"type":"message","id":"msg_a","role":"user","content":"Grüße, 世界"}');
INSERT INTO response_items VALUES ('resp_a', 1, 0, 'msg_b', '{"type":"message","id":"msg_b","role":"assistant","content":"It''s me."}');

PRAGMA user_version = 1;
