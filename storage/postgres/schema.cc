#include "storage/postgres/schema.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "storage/fault.h"

namespace toolgate::storage::postgres {
namespace {

// "toolgate" as a number, for the lock of migrations.
constexpr int64_t kMigrationLock = 0x746f6f6c67617465;

struct Table {
  const char* name;
  const char* columns;
};

// The partitioned tables of version 1.
constexpr std::array kTables1 = {
    Table{"blocks", R"sql(
      workspace bigint NOT NULL, id bytea NOT NULL, type bytea NOT NULL, parent bytea NOT NULL, rank bytea NOT NULL,
      version bigint NOT NULL, change_id bytea NOT NULL, created_by bytea NOT NULL, updated_by bytea NOT NULL,
      created_at bigint NOT NULL, updated_at bigint NOT NULL, words bigint NOT NULL, data bytea NOT NULL,
      PRIMARY KEY (workspace, id))sql"},
    // One row for each word of a block, with how often it occurs.
    Table{"block_words", R"sql(
      workspace bigint NOT NULL, word bytea NOT NULL, block bytea NOT NULL, in_title integer NOT NULL,
      in_body integer NOT NULL, PRIMARY KEY (workspace, word, block))sql"},
    // Of all blocks of a workspace together.
    Table{"word_totals", R"sql(
      workspace bigint NOT NULL PRIMARY KEY, blocks bigint NOT NULL, words bigint NOT NULL)sql"},
    // storage/index_entries.h; a field is a number made of its scope and name, a value and a tie have a form that
    // compares as they do (index_values.h).
    Table{"field_values", R"sql(
      workspace bigint NOT NULL, field bigint NOT NULL, value bytea NOT NULL, tie bytea NOT NULL, block bytea NOT NULL,
      PRIMARY KEY (workspace, field, value, tie, block))sql"},
    Table{"links", R"sql(
      workspace bigint NOT NULL, source bytea NOT NULL, target bytea NOT NULL, relation bytea NOT NULL,
      change_id bytea NOT NULL, created_by bytea NOT NULL, created_at bigint NOT NULL,
      PRIMARY KEY (workspace, source, target, relation))sql"},
    Table{"undo_entries", R"sql(
      workspace bigint NOT NULL, user_id bytea NOT NULL, number bigint NOT NULL, id bytea NOT NULL, tool bytea NOT NULL,
      created_at bigint NOT NULL, description bytea NOT NULL, affected bytea NOT NULL, reversible boolean NOT NULL,
      undone boolean NOT NULL, undoes bytea NOT NULL, audit_entry bytea NOT NULL, request bytea NOT NULL,
      conversation bytea NOT NULL, changes bytea NOT NULL, PRIMARY KEY (workspace, user_id, number))sql"},
    Table{"confirmations", R"sql(
      workspace bigint NOT NULL, id bytea NOT NULL, user_id bytea NOT NULL, tool bytea NOT NULL, digest bytea NOT NULL,
      summary bytea NOT NULL, arguments bytea NOT NULL, conversation bytea NOT NULL, state bigint NOT NULL,
      decided_by bytea NOT NULL, created_at bigint NOT NULL, expires_at bigint NOT NULL,
      PRIMARY KEY (workspace, id))sql"},
    Table{"outcomes", R"sql(
      workspace bigint NOT NULL, user_id bytea NOT NULL, key bytea NOT NULL, tool bytea NOT NULL, digest bytea NOT NULL,
      response bytea NOT NULL, created_at bigint NOT NULL, PRIMARY KEY (workspace, user_id, key))sql"},
    Table{"kept_results", R"sql(
      workspace bigint NOT NULL, user_id bytea NOT NULL, id bytea NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY,
      tool bytea NOT NULL, untrusted boolean NOT NULL, created_at bigint NOT NULL, bytes bytea NOT NULL,
      PRIMARY KEY (workspace, user_id, id))sql"},
    Table{"documents", R"sql(
      workspace bigint NOT NULL, kind bytea NOT NULL, name bytea NOT NULL, json bytea NOT NULL,
      PRIMARY KEY (workspace, kind, name))sql"},
    Table{"journal", R"sql(
      workspace bigint NOT NULL, id bytea NOT NULL, user_id bytea NOT NULL, tool bytea NOT NULL, key bytea NOT NULL,
      part_of bytea NOT NULL, owner bytea NOT NULL, claimed_at bigint NOT NULL, good_until bigint NOT NULL,
      recoveries bigint NOT NULL, call bytea NOT NULL, checkpoint bytea NOT NULL, PRIMARY KEY (workspace, id))sql"},
    Table{"settled_steps", R"sql(
      workspace bigint NOT NULL, claim bytea NOT NULL, number bigint NOT NULL, audit_entry bytea NOT NULL,
      tool bytea NOT NULL, known boolean NOT NULL, reversible boolean NOT NULL, changes bytea NOT NULL,
      PRIMARY KEY (workspace, claim, number))sql"},
    Table{"conversations", R"sql(
      workspace bigint NOT NULL, user_id bytea NOT NULL, id bytea NOT NULL, title bytea NOT NULL,
      created_at bigint NOT NULL, updated_at bigint NOT NULL, messages bigint NOT NULL, pause bytea NOT NULL,
      PRIMARY KEY (workspace, user_id, id))sql"},
    Table{"messages", R"sql(
      workspace bigint NOT NULL, user_id bytea NOT NULL, conversation bytea NOT NULL, number bigint NOT NULL,
      id bytea NOT NULL, created_at bigint NOT NULL, bytes bytea NOT NULL,
      PRIMARY KEY (workspace, user_id, conversation, number), UNIQUE (workspace, user_id, conversation, id))sql"},
    Table{"artifacts", R"sql(
      workspace bigint NOT NULL, user_id bytea NOT NULL, conversation bytea NOT NULL, message bigint NOT NULL,
      number bigint NOT NULL, bytes bytea NOT NULL,
      PRIMARY KEY (workspace, user_id, conversation, message, number))sql"},
    Table{"files", R"sql(
      workspace bigint NOT NULL, name bytea NOT NULL, pages bigint NOT NULL, change_id bytea NOT NULL,
      PRIMARY KEY (workspace, name))sql"},
    Table{"file_pages", R"sql(
      workspace bigint NOT NULL, name bytea NOT NULL, number bigint NOT NULL, bytes bytea NOT NULL,
      PRIMARY KEY (workspace, name, number))sql"},
    // storage/audit_chain.h says what a payload holds.
    Table{"audit_segments", R"sql(
      workspace bigint NOT NULL, first_seq bigint NOT NULL, last_seq bigint NOT NULL, first_time bigint NOT NULL,
      last_time bigint NOT NULL, payload bytea NOT NULL, PRIMARY KEY (workspace, first_seq))sql"},
    Table{"audit_terms", R"sql(
      workspace bigint NOT NULL, term bigint NOT NULL, first_seq bigint NOT NULL,
      PRIMARY KEY (workspace, term, first_seq))sql"},
    // The last entry ever written, the last one that retention removed, and the last one in the index over terms.
    Table{"audit_heads", R"sql(
      workspace bigint NOT NULL PRIMARY KEY, last_seq bigint NOT NULL, last_hash bytea NOT NULL,
      anchor_seq bigint NOT NULL, anchor_hash bytea NOT NULL, indexed_seq bigint NOT NULL)sql"},
};

constexpr const char* kStatements1 = R"sql(
CREATE TABLE IF NOT EXISTS toolgate.workspace_shards (
  workspace bytea PRIMARY KEY,
  key bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  shard integer NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS toolgate.secrets (name bytea PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE IF NOT EXISTS toolgate.field_state (
  one boolean PRIMARY KEY CHECK (one),
  digest bytea NOT NULL,
  next_workspace bigint NOT NULL,
  next_block bytea NOT NULL,
  complete boolean NOT NULL,
  restart boolean NOT NULL);
INSERT INTO toolgate.field_state VALUES (true, '', 0, '', true, false) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS toolgate.commit_marks (
  mark bytea PRIMARY KEY,
  made_at timestamptz NOT NULL DEFAULT now());
CREATE INDEX IF NOT EXISTS commit_marks_by_age ON toolgate.commit_marks (made_at);
CREATE INDEX IF NOT EXISTS blocks_by_parent ON toolgate.blocks (workspace, parent, rank, id);
CREATE INDEX IF NOT EXISTS blocks_by_type ON toolgate.blocks (workspace, type, id);
CREATE INDEX IF NOT EXISTS links_by_target ON toolgate.links (workspace, target, source, relation);
CREATE INDEX IF NOT EXISTS confirmations_pending ON toolgate.confirmations (workspace, created_at, id) WHERE state = 0;
CREATE INDEX IF NOT EXISTS confirmations_by_expiry ON toolgate.confirmations (expires_at);
CREATE INDEX IF NOT EXISTS outcomes_by_age ON toolgate.outcomes (created_at);
CREATE INDEX IF NOT EXISTS kept_results_by_age ON toolgate.kept_results (created_at);
CREATE UNIQUE INDEX IF NOT EXISTS journal_by_key ON toolgate.journal (workspace, user_id, key) WHERE key <> '';
CREATE INDEX IF NOT EXISTS journal_by_whole ON toolgate.journal (workspace, part_of) WHERE part_of <> '';
CREATE INDEX IF NOT EXISTS journal_by_end ON toolgate.journal (good_until);
CREATE INDEX IF NOT EXISTS conversations_by_change ON toolgate.conversations (workspace, user_id, updated_at, id)
)sql";

// Chains entries behind the workspace's head, and locks that for no longer than it must: this is the last statement
// before a COMMIT, and takes no round trip of its own.
constexpr const char* kAppendAuditFunction1 = R"sql(
CREATE OR REPLACE FUNCTION toolgate.append_audit(of_workspace bigint, entries bytea[], times bigint[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  sequence bigint;
  hash bytea;
  first_sequence bigint;
  payload bytea := '';
  entry bytea;
  size integer;
BEGIN
  LOOP
    SELECT last_seq, last_hash INTO sequence, hash FROM toolgate.audit_heads
      WHERE workspace = of_workspace FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO toolgate.audit_heads VALUES
      (of_workspace, 0, decode(repeat('00', 32), 'hex'), 0, decode(repeat('00', 32), 'hex'), 0) ON CONFLICT DO NOTHING;
  END LOOP;
  first_sequence := sequence + 1;
  FOREACH entry IN ARRAY entries LOOP
    size := octet_length(entry);
    hash := sha256(hash || entry);
    payload := payload || set_byte(set_byte(set_byte(set_byte('\x00000000'::bytea, 0, size & 255), 1,
      (size >> 8) & 255), 2, (size >> 16) & 255), 3, (size >> 24) & 255) || entry || hash;
    sequence := sequence + 1;
  END LOOP;
  INSERT INTO toolgate.audit_segments VALUES (of_workspace, first_sequence, sequence,
    (SELECT min(t) FROM unnest(times) AS t), (SELECT max(t) FROM unnest(times) AS t), payload);
  UPDATE toolgate.audit_heads SET last_seq = sequence, last_hash = hash WHERE workspace = of_workspace;
  RETURN sequence;
END $$)sql";

// Statements of one transaction, each of which may have been run before. A transaction that made all tables would need
// more locks than a small server has.
using Group = std::vector<std::string>;

std::vector<Group> Version1() {
  std::vector<Group> groups;
  for (const Table& table : kTables1) {
    Group& group = groups.emplace_back();
    group.push_back(absl::StrCat("CREATE TABLE IF NOT EXISTS toolgate.", table.name, " (", table.columns,
                                 ") PARTITION BY HASH (workspace)"));
    for (int i = 0; i < kPartitions; ++i) {
      group.push_back(absl::StrCat("CREATE TABLE IF NOT EXISTS toolgate.", table.name, "_", i,
                                   " PARTITION OF toolgate.", table.name, " FOR VALUES WITH (MODULUS ", kPartitions,
                                   ", REMAINDER ", i, ")"));
    }
  }
  for (const auto statement : absl::StrSplit(kStatements1, ';')) groups.push_back({std::string(statement)});
  groups.push_back({kAppendAuditFunction1});
  return groups;
}

// One step a version, never changed once released, and the oldest program that can use the tables after it.
struct Step {
  std::vector<Group> (*groups)();
  int oldest_program;
};
constexpr std::array kSteps = {Step{Version1, 1}};

constexpr char kHasSchema[] = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'toolgate'";
constexpr char kHasVersion[] = "SELECT 1 WHERE pg_catalog.to_regclass('toolgate.schema_version') IS NOT NULL";
// Tables of others, but for those of extensions.
constexpr char kOtherTables[] =
    "SELECT n.nspname || '.' || c.relname, current_database()::text FROM pg_catalog.pg_class c JOIN "
    "pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND "
    "n.nspname <> 'information_schema' AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND "
    "d.deptype = 'e') LIMIT 1";
constexpr char kReadVersion[] = "SELECT version::bigint, oldest_program::bigint FROM toolgate.schema_version";
constexpr char kLockMigration[] = "SELECT pg_advisory_xact_lock($1)";

absl::Status NotOurs(std::string_view database, std::string_view table) {
  return absl::FailedPreconditionError(absl::StrCat("the database \"", ToAbsl(database),
                                                    "\" belongs to another program: it has the table ", ToAbsl(table),
                                                    "; make an empty one for toolgate with createdb, and name it in "
                                                    "storage.postgres.database"));
}

// Under the lock: the present version; 0: the database is empty.
absl::StatusOr<int64_t> ReadVersion(Connection& connection) {
  ASSIGN_OR_RETURN(const Result has_schema, connection.Query(kHasSchema));
  ASSIGN_OR_RETURN(const Result has_version, connection.Query(kHasVersion));
  if (has_version.empty()) {
    ASSIGN_OR_RETURN(const Result others, connection.Query(kOtherTables));
    if (!others.empty()) return NotOurs(others[0].Bytes(1), others[0].Bytes(0));
    if (!has_schema.empty()) return 0;
    RETURN_IF_ERROR(connection.Query("CREATE SCHEMA toolgate").status());
    return 0;
  }
  ASSIGN_OR_RETURN(const Result version, connection.Query(kReadVersion));
  if (version.empty()) return absl::DataLossError("toolgate.schema_version is empty");
  if (version[0].Int(1) > SchemaVersion()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the database has schema version ", version[0].Int(0), ", which programs from version ",
                     version[0].Int(1), " on can use, and this one knows ", SchemaVersion(),
                     " at most; run the newer toolgate that made it, or restore a backup from before"));
  }
  return version[0].Int(0);
}

absl::Status BeginLocked(Connection& connection) {
  RETURN_IF_ERROR(connection.Send("BEGIN ISOLATION LEVEL READ COMMITTED"));
  return connection.Send(kLockMigration, Params::Of(kMigrationLock));
}

absl::Status Commit(Connection& connection) {
  ASSIGN_OR_RETURN(const Result committed, connection.Query("COMMIT"));
  return committed.command() == "COMMIT" ? absl::OkStatus()
                                         : MarkFault(absl::InternalError("a migration was rolled back"));
}

absl::Status RunStep(Connection& connection, int64_t version) {
  const Step& step = kSteps[static_cast<size_t>(version)];
  for (const Group& group : step.groups()) {
    RETURN_IF_ERROR(BeginLocked(connection));
    for (const std::string& statement : group) RETURN_IF_ERROR(connection.Send(Sql::Once(statement)));
    RETURN_IF_ERROR(Commit(connection));
  }
  RETURN_IF_ERROR(BeginLocked(connection));
  // Another process may have done it meanwhile, and more.
  RETURN_IF_ERROR(connection.Send(
      "UPDATE toolgate.schema_version SET version = $1::bigint, oldest_program = $2::bigint WHERE version < $1::bigint",
      Params::Of(version + 1, step.oldest_program)));
  return Commit(connection);
}

// Makes the table of versions in an empty database, and returns the present version.
absl::StatusOr<int64_t> FindVersion(Connection& connection) {
  RETURN_IF_ERROR(BeginLocked(connection));
  ASSIGN_OR_RETURN(const int64_t version, ReadVersion(connection));
  if (version == 0) {
    RETURN_IF_ERROR(connection.Send(
        "CREATE TABLE IF NOT EXISTS toolgate.schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version "
        "integer NOT NULL, oldest_program integer NOT NULL)"));
    RETURN_IF_ERROR(connection.Send(
        "INSERT INTO toolgate.schema_version (version, oldest_program) VALUES (0, 0) ON CONFLICT DO NOTHING"));
  }
  RETURN_IF_ERROR(Commit(connection));
  return version;
}

absl::Status MigrateAll(Connection& connection) {
  ASSIGN_OR_RETURN(int64_t version, FindVersion(connection));
  for (; version < SchemaVersion(); ++version) RETURN_IF_ERROR(RunStep(connection, version));
  return absl::OkStatus();
}

}  // namespace

int SchemaVersion() { return kSteps.size(); }

absl::Status Migrate(Connection& connection) {
  if (connection.server_version() < kOldestServer) {
    return absl::FailedPreconditionError(absl::StrCat("the server is PostgreSQL ", connection.server_version() / 10000,
                                                      ".", connection.server_version() % 10000,
                                                      "; toolgate needs 15 or newer"));
  }
  absl::Status status = MigrateAll(connection);
  if (!status.ok()) connection.EndLater("ROLLBACK");
  return status;
}

}  // namespace toolgate::storage::postgres
