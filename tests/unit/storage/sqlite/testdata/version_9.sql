-- A database as schema version 8 left it. Never changed: later versions must be able to read it.
BEGIN;
CREATE TABLE workspaces (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
) STRICT;

-- `row` is given by the writer and never used twice, so that the search index can tell what it has not seen.
CREATE TABLE blocks (
  row INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  parent TEXT NOT NULL,
  rank TEXT NOT NULL,
  version INTEGER NOT NULL,
  change_id TEXT NOT NULL,
  created_by TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX blocks_by_id ON blocks(workspace, id);
CREATE INDEX blocks_by_parent ON blocks(workspace, parent, rank, id);
CREATE INDEX blocks_by_type ON blocks(workspace, type, id);

-- The terms of every block up to `indexed_row`, but for those in search_pending.
CREATE VIRTUAL TABLE search_text USING fts5(title, body, tokenize = "ascii tokenchars _");
CREATE TABLE search_pending (row INTEGER PRIMARY KEY) STRICT;
CREATE TABLE search_state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  indexed_row INTEGER NOT NULL
) STRICT;
INSERT INTO search_state VALUES (1, 0);

-- `place` counts up within a user's stack.
CREATE TABLE undo_entries (
  row INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  user TEXT NOT NULL,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  tool TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  description TEXT NOT NULL,
  affected TEXT NOT NULL,
  reversible INTEGER NOT NULL,
  undone INTEGER NOT NULL,
  undoes TEXT NOT NULL,
  audit_entry TEXT NOT NULL,
  request TEXT NOT NULL,
  conversation TEXT NOT NULL,
  changes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX undo_entries_by_place ON undo_entries(workspace, user, place);

CREATE TABLE confirmations (
  row INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  user TEXT NOT NULL,
  tool TEXT NOT NULL,
  digest BLOB NOT NULL,
  summary TEXT NOT NULL,
  arguments TEXT NOT NULL,
  conversation TEXT NOT NULL,
  state INTEGER NOT NULL,
  decided_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX confirmations_by_id ON confirmations(workspace, id);
CREATE INDEX confirmations_pending ON confirmations(workspace, created_at, id) WHERE state = 0;
CREATE INDEX confirmations_by_expiry ON confirmations(expires_at);

CREATE TABLE outcomes (
  row INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  user TEXT NOT NULL,
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  digest BLOB NOT NULL,
  response BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX outcomes_by_key ON outcomes(workspace, user, key);

CREATE TABLE documents (
  workspace INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (workspace, kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- storage/audit_chain.h says what a payload holds.
CREATE TABLE audit_segments (
  row INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  first_time INTEGER NOT NULL,
  last_time INTEGER NOT NULL,
  payload BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX audit_segments_by_seq ON audit_segments(workspace, first_seq);
CREATE TABLE audit_terms (
  workspace INTEGER NOT NULL,
  term INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  PRIMARY KEY (workspace, term, first_seq)
) STRICT, WITHOUT ROWID;
-- The last entry ever written, and the last one that retention removed.
CREATE TABLE audit_heads (
  workspace INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  last_hash BLOB NOT NULL,
  anchor_seq INTEGER NOT NULL,
  anchor_hash BLOB NOT NULL,
  indexed_seq INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE links (
  workspace INTEGER NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  relation TEXT NOT NULL,
  change_id TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, source, target, relation)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_target ON links(workspace, target, source, relation);

CREATE TABLE files (
  key INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  name TEXT NOT NULL,
  pages INTEGER NOT NULL,
  change_id TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX files_by_name ON files(workspace, name);
CREATE TABLE file_pages (
  row INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  number INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX file_pages_by_number ON file_pages(file, number);

CREATE TABLE kept_results (
  row INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  user TEXT NOT NULL,
  id TEXT NOT NULL,
  tool TEXT NOT NULL,
  untrusted INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX kept_results_by_id ON kept_results(workspace, user, id);
CREATE INDEX kept_results_by_age ON kept_results(created_at);

CREATE TABLE journal (
  row INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  user TEXT NOT NULL,
  tool TEXT NOT NULL,
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  good_until INTEGER NOT NULL,
  recoveries INTEGER NOT NULL,
  call BLOB NOT NULL,
  checkpoint BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_by_id ON journal(workspace, id);
CREATE UNIQUE INDEX journal_by_key ON journal(workspace, user, key) WHERE key <> '';
CREATE INDEX journal_by_end ON journal(good_until);

ALTER TABLE journal ADD COLUMN part_of TEXT NOT NULL DEFAULT '';
CREATE INDEX journal_by_whole ON journal(workspace, part_of) WHERE part_of <> '';
CREATE TABLE settled_steps (
  row INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  claim TEXT NOT NULL,
  number INTEGER NOT NULL,
  audit_entry TEXT NOT NULL,
  tool TEXT NOT NULL,
  known INTEGER NOT NULL,
  reversible INTEGER NOT NULL,
  changes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX settled_steps_by_number ON settled_steps(workspace, claim, number);
CREATE TABLE conversations (
  key INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  user TEXT NOT NULL,
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  pause BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX conversations_by_id ON conversations(workspace, user, id);
CREATE INDEX conversations_by_change ON conversations(workspace, user, updated_at, id);
CREATE TABLE messages (
  row INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_by_number ON messages(conversation, number);
CREATE UNIQUE INDEX messages_by_id ON messages(conversation, id);
CREATE TABLE artifacts (
  row INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL,
  message INTEGER NOT NULL,
  number INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX artifacts_by_number ON artifacts(conversation, message, number);

INSERT INTO workspaces VALUES (1, 'w');
INSERT INTO blocks VALUES (1, 1, 'old-block', 'text', '', 'K', 1, 'old-change', 'alice', 'alice', 1000000000, 1000000000,
  '{"title":"walrus"}');
INSERT INTO undo_entries VALUES (1, 1, 'alice', 1, 'old-undo', 'create_block', 1000000000, 'Created', '["old-block"]', 1,
  0, '', 'old-entry', 'old-request', 'old-conversation', x'');
INSERT INTO undo_entries VALUES (2, 1, 'alice', 2, 'old-redo', 'undo', 1000000000, 'Undid', '["old-block"]', 1, 0,
  '["old-undo"]', 'old-entry', '', '', x'');
INSERT INTO documents VALUES (1, 'instruction', 'a', '{}');
INSERT INTO secrets VALUES ('key', x'00ff');
INSERT INTO audit_segments VALUES (1, 1, 1, 1, 1000000000, 1000000000,
  x'280000000a096f6c642d656e747279120308e8071a01772205616c6963653a0c6372656174655f626c6f636bc87a11bce6736a3553b28a837b9a18981e770ce5f655fa43ae35035c37813835');
INSERT INTO audit_heads VALUES (1, 1, x'c87a11bce6736a3553b28a837b9a18981e770ce5f655fa43ae35035c37813835', 0, zeroblob(32), 1);
INSERT INTO links VALUES (1, 'old-block', 'old-block', 'references', 'old-change', 'alice', 1000000000);
INSERT INTO files VALUES (1, 1, 'old-file', 1, 'old-change');
INSERT INTO file_pages VALUES (1, 1, 0, x'00ff');
INSERT INTO kept_results VALUES (1, 1, 'alice', 'old-result', 'get_block', 0, 9000000000000000, 2, x'7b7d');
INSERT INTO journal VALUES (1, 1, 'old-claim', 'alice', 'create_block', '', 'old-process', 1000000000, 1000000000, 0, x'', x'00ff', '');
INSERT INTO settled_steps VALUES (1, 1, 'old-claim', 0, 'old-entry', 'create_block', 1, 1, x'');
INSERT INTO conversations VALUES (1, 1, 'alice', 'old-conversation', 'Walrus', 1000000000, 1000000000, 1, x'');
INSERT INTO messages VALUES (1, 1, 0, 'old-message', 1000000000, x'00ff');
INSERT INTO artifacts VALUES (1, 1, 0, 0, x'00ff');
CREATE TABLE fields (
  key INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  scope TEXT NOT NULL,
  name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX fields_by_name ON fields(workspace, scope, name);
CREATE TABLE field_values (
  field INTEGER NOT NULL,
  value ANY NOT NULL,
  tie ANY NOT NULL,
  row INTEGER NOT NULL,
  PRIMARY KEY (field, value, tie, row)
) STRICT, WITHOUT ROWID;
CREATE TABLE field_state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  digest TEXT NOT NULL,
  next_row INTEGER NOT NULL,
  last_row INTEGER NOT NULL
) STRICT;
INSERT INTO field_state VALUES (1, '', 0, 0);
PRAGMA user_version = 9;
PRAGMA application_id = 1952932212;
COMMIT;
