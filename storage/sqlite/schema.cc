#include "storage/sqlite/schema.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate::storage::sqlite {
namespace {

// "tgat": distinguishes our file from other programs'.
constexpr int kApplicationId = 0x74676174;

// One step per version, never changed once released. Times are microseconds since the Unix epoch; a workspace is a
// small number in every other table.
constexpr const char* kVersion1 = R"sql(
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

-- The full text of every block up to `indexed_row`, but for those in search_pending.
CREATE VIRTUAL TABLE search_text USING fts5(
  workspace, title, body, tokenize = "unicode61 remove_diacritics 2");
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
CREATE INDEX outcomes_by_age ON outcomes(created_at);

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
CREATE INDEX audit_segments_by_time ON audit_segments(workspace, last_time);
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
  anchor_hash BLOB NOT NULL
) STRICT;
)sql";

// Links are stored twice, because they are looked up from both ends. A file's pages are few enough and big enough for
// rows of their own.
constexpr const char* kVersion2 = R"sql(
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
)sql";

// Results that were too long to answer at once, in the order in which they came.
constexpr const char* kVersion3 = R"sql(
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
)sql";

// Effects that were claimed and are not settled: few rows, and usually none.
constexpr const char* kVersion4 = R"sql(
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
)sql";

// Steps of automations that settle one by one: a step's claim, and what those before it did.
constexpr const char* kVersion5 = R"sql(
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
)sql";

// Conversations, their messages by number, and what came of a message.
constexpr const char* kVersion6 = R"sql(
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
)sql";

// An undo may take several changes back: undoes is empty for a change, else a JSON array of the entries that it took
// back. The changes come last, since what is behind them could not be read without them.
constexpr const char* kVersion7 = R"sql(
CREATE TABLE undo_entries_7 (
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
INSERT INTO undo_entries_7 SELECT row, workspace, user, place, id, tool, created_at, description, affected, reversible,
  undone, CASE undoes WHEN '' THEN '' ELSE json_array(undoes) END, audit_entry, '', '', changes FROM undo_entries;
DROP TABLE undo_entries;
ALTER TABLE undo_entries_7 RENAME TO undo_entries;
CREATE UNIQUE INDEX undo_entries_by_place ON undo_entries(workspace, user, place);
)sql";

// The terms of audit entries are read into their index later than the entries are committed: up to indexed_seq. By
// time, entries are looked up through their sequence, and outcomes through their row, which follow it.
constexpr const char* kVersion8 = R"sql(
ALTER TABLE audit_heads ADD COLUMN indexed_seq INTEGER NOT NULL DEFAULT 0;
UPDATE audit_heads SET indexed_seq = last_seq;
DROP INDEX audit_segments_by_time;
DROP INDEX outcomes_by_age;
)sql";

// The rows of storage/index_entries.h. Those of blocks up to the row next_row are there, but for blocks above
// last_row, which have theirs from the beginning. And an index of search over the terms of search_words.h instead of
// texts, read anew from the blocks; a term's only ASCII characters are letters, digits and the line.
constexpr const char* kVersion9 = R"sql(
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

DROP TABLE search_text;
CREATE VIRTUAL TABLE search_text USING fts5(title, body, tokenize = "ascii tokenchars _");
DELETE FROM search_pending;
UPDATE search_state SET indexed_row = 0;
)sql";

constexpr std::array kSteps = {kVersion1, kVersion2, kVersion3, kVersion4, kVersion5,
                               kVersion6, kVersion7, kVersion8, kVersion9};

absl::StatusOr<int64_t> ReadPragma(Connection& connection, const char* pragma) {
  Cursor cursor = connection.Use(pragma);
  RETURN_IF_ERROR(cursor.Step().status());
  return cursor.Int(0);
}

absl::Status RunStep(Connection& connection, size_t version) {
  const std::string sql = absl::StrCat("BEGIN IMMEDIATE;", kSteps[version], "PRAGMA user_version = ", version + 1,
                                       ";PRAGMA application_id = ", kApplicationId, ";COMMIT");
  absl::Status status = connection.Execute(sql.c_str());
  if (!status.ok() && !connection.autocommit()) connection.Execute("ROLLBACK").IgnoreError();
  return status;
}

}  // namespace

int SchemaVersion() { return kSteps.size(); }

absl::Status Migrate(Connection& connection) {
  ASSIGN_OR_RETURN(const int64_t version, ReadPragma(connection, "PRAGMA user_version"));
  ASSIGN_OR_RETURN(const int64_t application, ReadPragma(connection, "PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t objects, ReadPragma(connection, "SELECT count(*) FROM sqlite_schema"));
  if (objects > 0 && application != kApplicationId) {
    return absl::FailedPreconditionError("the database file was not made by toolgate; name another data directory");
  }
  if (version > SchemaVersion()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the database has schema version ", version, " and this program knows ", SchemaVersion(),
                     " at most; run the newer toolgate that made it, or restore a backup from before"));
  }
  for (size_t next = version; next < kSteps.size(); ++next) RETURN_IF_ERROR(RunStep(connection, next));
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
