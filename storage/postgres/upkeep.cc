// The store's upkeep: expired records, and indexes that are filled later than their rows are written.
#include <initializer_list>
#include <utility>

#include "absl/time/time.h"
#include "common/status_macros.h"
#include "storage/index_entries.h"
#include "storage/postgres/audit_log.h"
#include "storage/postgres/field_index.h"
#include "storage/postgres/postgres_store.h"

namespace toolgate::storage::postgres {
namespace {

constexpr absl::Duration kMaintenancePeriod = absl::Seconds(5);
constexpr absl::Duration kSweepPeriod = absl::Minutes(1);
constexpr absl::Duration kCountPeriod = absl::Seconds(5);
// Rows of each table that one transaction sweeps.
constexpr int64_t kSweepStep = 1000;
// Workspaces whose audit log is read into its index in a round, and entries of each transaction.
constexpr int64_t kAuditWorkspaces = 256;
constexpr int64_t kAuditStep = 1000;
// Between two looks at all workspaces, for those of processes that ended before they read their terms.
constexpr absl::Duration kScanPeriod = absl::Minutes(10);
constexpr size_t kMaxAudited = 10'000;
// Blocks whose fields are indexed in one transaction, under their workspace's lock.
constexpr int64_t kFieldStep = 200;
constexpr int kFieldStepsOfARound = 1000;
constexpr absl::Duration kConfirmationLifetimeAfterExpiry = absl::Hours(24);

// "upkeep" as a number: one process at a time.
constexpr int64_t kUpkeepLock = 0x75706b656570;
constexpr char kTryLock[] = "SELECT pg_try_advisory_xact_lock($1)";

#define SWEEP(table, column)                                                                            \
  "DELETE FROM toolgate." table " t USING (SELECT tableoid, ctid FROM toolgate." table " WHERE " column \
  " <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED) AS old WHERE t.tableoid = old.tableoid AND t.ctid = old.ctid"
constexpr char kSweepOutcomes[] = SWEEP("outcomes", "created_at");
constexpr char kSweepKept[] = SWEEP("kept_results", "created_at");
constexpr char kSweepConfirmations[] = SWEEP("confirmations", "expires_at");
#undef SWEEP
// Each commit leaves one, for the seconds in which its end may be unknown.
constexpr char kSweepMarks[] =
    "DELETE FROM toolgate.commit_marks WHERE mark IN (SELECT mark FROM toolgate.commit_marks WHERE made_at < now() - "
    "interval '10 minutes' ORDER BY made_at LIMIT $1)";
constexpr int64_t kMarksStep = 100'000;
constexpr char kCountConfirmations[] =
    "SELECT count(*) FROM toolgate.confirmations WHERE expires_at > $1 AND state = 0";
constexpr char kUnindexedOf[] =
    "SELECT h.workspace FROM toolgate.workspace_shards w JOIN toolgate.audit_heads h ON h.workspace = w.key WHERE "
    "w.workspace = ANY($1::bytea[]) AND h.indexed_seq < h.last_seq";
constexpr char kUnindexedAudit[] = "SELECT workspace FROM toolgate.audit_heads WHERE indexed_seq < last_seq LIMIT $1";

constexpr char kBeginFields[] =
    "UPDATE toolgate.field_state SET digest = $1, next_workspace = 0, next_block = '', complete = false, restart = "
    "false "
    "WHERE digest <> $1";
constexpr char kHasFieldsToIndex[] =
    "SELECT 1 FROM toolgate.field_state WHERE digest = $1 AND (restart OR NOT complete)";
constexpr char kReadFieldState[] =
    "SELECT next_workspace, next_block, complete, restart FROM toolgate.field_state WHERE digest = $1 FOR UPDATE";
constexpr char kRestartFields[] =
    "UPDATE toolgate.field_state SET next_workspace = 0, next_block = '', complete = false, restart = false WHERE "
    "digest "
    "= $1";
constexpr char kMoveFields[] = "UPDATE toolgate.field_state SET next_workspace = $2, next_block = $3 WHERE digest = $1";
constexpr char kCompleteFields[] = "UPDATE toolgate.field_state SET complete = true WHERE digest = $1";
constexpr char kNextWorkspace[] =
    "SELECT key, workspace FROM toolgate.workspace_shards WHERE key >= $1 ORDER BY key LIMIT 1";
constexpr char kLockWorkspaceOf[] = "SELECT pg_advisory_xact_lock($1)";
constexpr char kForgetFields[] = "DELETE FROM toolgate.field_values WHERE workspace = $1";
constexpr char kBlocksAfter[] =
    "SELECT id, type, parent, rank, created_at, data FROM toolgate.blocks WHERE workspace = $1 AND id > $2 ORDER BY id "
    "LIMIT $3";

}  // namespace

// ---- Records --------------------------------------------------------------------------------------------------------

absl::StatusOr<bool> PostgresStore::Sweep() {
  const absl::Time now = options_.clock->Now();
  bool full = false;
  RETURN_IF_ERROR(writer_.Run([&](Connection& connection) {
    full = false;  // This may run more than once.
    const absl::StatusOr<Result> locked = connection.Query(kTryLock, Params::Of(kUpkeepLock));
    if (!locked.ok() || !(*locked)[0].Bool(0)) return locked.status();
    for (const auto& [statement, lifetime] : std::initializer_list<std::pair<const char*, absl::Duration>>{
             {kSweepOutcomes, kOutcomeLifetime},
             {kSweepKept, kKeptResultLifetime},
             {kSweepConfirmations, kConfirmationLifetimeAfterExpiry}}) {
      const absl::Status sent =
          connection.Send(statement, Params::Of(absl::ToUnixMicros(now - lifetime), kSweepStep),
                          [&full](const Result& result) { full |= result.changed() == kSweepStep; });
      if (!sent.ok()) return sent;
    }
    absl::Status marks = connection.Send(kSweepMarks, Params::Of(kMarksStep),
                                         [&full](const Result& result) { full |= result.changed() == kMarksStep; });
    return marks.ok() ? connection.Finish() : marks;
  }));
  return full;
}

absl::Status PostgresStore::CountConfirmations() {
  int64_t count = 0;
  RETURN_IF_ERROR(WithSnapshot("", {}, [&](Session& session) {
    const absl::StatusOr<Result> found =
        session.Query(kCountConfirmations, Params::Of(absl::ToUnixMicros(options_.clock->Now())));
    if (found.ok()) count = (*found)[0].Int(0);
    return found.status();
  }));
  options_.observer->OnWaitingConfirmations(count);
  return absl::OkStatus();
}

// ---- Indexes --------------------------------------------------------------------------------------------------------

void PostgresStore::NoteAudit(std::string_view workspace_id) {
  absl::MutexLock lock(&maintenance_mutex_);
  // Those that find no room are found by the next look at all.
  if (audited_.size() < kMaxAudited) audited_.emplace(workspace_id);
}

absl::StatusOr<std::vector<int64_t>> PostgresStore::ListUnindexed(bool of_all) {
  absl::flat_hash_set<std::string> audited;
  {
    absl::MutexLock lock(&maintenance_mutex_);
    audited.swap(audited_);
  }
  std::vector<int64_t> workspaces;
  const absl::Status listed = WithSnapshot("", {}, [&](Session& session) -> absl::Status {
    if (!of_all) {
      const std::vector<std::string> ids(audited.begin(), audited.end());
      return session.Stream(kUnindexedOf, Params::Of(ids), [&](const Row& row) {
        workspaces.push_back(row.Int(0));
        return absl::OkStatus();
      });
    }
    return session.Stream(kUnindexedAudit, Params::Of(kAuditWorkspaces), [&](const Row& row) {
      workspaces.push_back(row.Int(0));
      return absl::OkStatus();
    });
  });
  RETURN_IF_ERROR(listed);
  return workspaces;
}

absl::StatusOr<bool> PostgresStore::IndexAuditOf(int64_t workspace) {
  int64_t read = 0;
  RETURN_IF_ERROR(writer_.Run([&](Connection& connection) {
    read = 0;
    Session session(connection, workspace, options_.fields, nullptr, /*may_write=*/true, nullptr);
    const absl::StatusOr<int64_t> count = AuditLog(session).IndexTerms(kAuditStep);
    read = count.value_or(0);
    return count.status();
  }));
  return read >= kAuditStep;
}

// The head of the workspace's chain keeps two processes from reading the same terms.
absl::StatusOr<bool> PostgresStore::IndexAudit(bool of_all) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> workspaces, ListUnindexed(of_all));
  absl::Status unreadable;
  for (const int64_t workspace : workspaces) {
    for (bool more = true; more;) {
      const absl::StatusOr<bool> indexed = IndexAuditOf(workspace);
      // A log that cannot be read stays without the index, and holds up no other.
      if (!indexed.ok() && !absl::IsDataLoss(indexed.status())) return indexed.status();
      unreadable.Update(indexed.status());
      more = indexed.value_or(false);
    }
  }
  RETURN_IF_ERROR(unreadable);
  return of_all && static_cast<int64_t>(workspaces.size()) == kAuditWorkspaces;
}

absl::Status PostgresStore::PrepareFields() {
  return writer_.Run(
      [&](Connection& connection) { return connection.Send(kBeginFields, Params::Of(options_.fields.digest())); });
}

// A workspace's rows are built anew, under its lock: those of another program may be among them. Blocks that are
// written meanwhile have theirs from the beginning. When a program with other fields has written in between, all is
// repeated.
absl::StatusOr<bool> PostgresStore::IndexFields() {
  bool has_work = false;
  RETURN_IF_ERROR(WithSnapshot("", {}, [&](Session& session) {
    const absl::StatusOr<Result> found = session.Query(kHasFieldsToIndex, Params::Of(options_.fields.digest()));
    has_work = found.ok() && !found->empty();
    return found.status();
  }));
  if (!has_work) return false;
  RETURN_IF_ERROR(writer_.Run([&](Connection& connection) { return IndexFieldsIn(connection, has_work); }));
  return has_work;
}

absl::Status PostgresStore::IndexFieldsIn(Connection& connection, bool& has_more) {
  const std::string& digest = options_.fields.digest();
  has_more = false;
  ASSIGN_OR_RETURN(const Result locked, connection.Query(kTryLock, Params::Of(kUpkeepLock)));
  if (!locked[0].Bool(0)) return absl::OkStatus();  // Another process is at it.
  ASSIGN_OR_RETURN(const Result state, connection.Query(kReadFieldState, Params::Of(digest)));
  if (state.empty()) return absl::OkStatus();
  const bool is_complete = state[0].Bool(2);
  has_more = !is_complete || state[0].Bool(3);
  if (is_complete && has_more) return connection.Send(kRestartFields, Params::Of(digest));
  if (!has_more) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Result next, connection.Query(kNextWorkspace, Params::Of(state[0].Int(0))));
  if (next.empty()) return connection.Send(kCompleteFields, Params::Of(digest));
  const int64_t workspace = next[0].Int(0);
  const std::string after = workspace == state[0].Int(0) ? state[0].String(1) : std::string();
  RETURN_IF_ERROR(connection.Send(kLockWorkspaceOf, Params::Of(LockOf(next[0].Bytes(1)))));
  if (after.empty()) RETURN_IF_ERROR(connection.Send(kForgetFields, Params::Of(workspace)));
  Session session(connection, workspace, options_.fields, nullptr, /*may_write=*/true, nullptr);
  FieldChanges changes;
  int64_t read = 0;
  std::string last;
  RETURN_IF_ERROR(session.Stream(kBlocksAfter, Params::Of(workspace, after, kFieldStep), [&](const Row& row) {
    ++read;
    last = row.String(0);
    Block block;
    block.id = row.Bytes(0);
    block.type = row.Bytes(1);
    block.parent_id = row.Bytes(2);
    block.rank = row.Bytes(3);
    block.created_at = absl::FromUnixMicros(row.Int(4));
    block.data = row.Bytes(5);
    changes.Add(block.id, IndexChangeOf(options_.fields, nullptr, &block));
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(changes.Write(session));
  const bool is_last = read < kFieldStep;
  return session.Write(kMoveFields,
                       Params::Of(digest, is_last ? workspace + 1 : workspace, is_last ? std::string() : last));
}

// ---- Rounds ---------------------------------------------------------------------------------------------------------

absl::Status PostgresStore::Maintain() {
  for (bool more = true; more;) {
    ASSIGN_OR_RETURN(more, IndexFields());
  }
  for (bool more = true; more;) {
    ASSIGN_OR_RETURN(more, IndexAudit(/*of_all=*/true));
  }
  for (bool more = true; more;) {
    ASSIGN_OR_RETURN(more, Sweep());
  }
  return absl::OkStatus();
}

absl::Status PostgresStore::Tidy() {
  absl::Status kept;
  const absl::Duration now = options_.clock->Monotonic();
  const auto is_stopping = [this] {
    absl::MutexLock lock(&maintenance_mutex_);
    return stopping_;
  };
  bool more = true;
  for (int step = 0; step < kFieldStepsOfARound && more && !is_stopping(); ++step) {
    const absl::StatusOr<bool> indexed = IndexFields();
    kept.Update(indexed.status());
    more = indexed.value_or(false);
  }
  const bool scans = now - scanned_ >= kScanPeriod;
  if (scans) scanned_ = now;
  for (more = true; more && !is_stopping();) {
    const absl::StatusOr<bool> indexed = IndexAudit(scans);
    kept.Update(indexed.status());
    more = indexed.value_or(false);
  }
  if (options_.observer != nullptr && now - counted_ >= kCountPeriod) {
    kept.Update(CountConfirmations());
    counted_ = now;
  }
  if (now - swept_ < kSweepPeriod) return kept;
  for (more = true; more && !is_stopping();) {
    const absl::StatusOr<bool> swept = Sweep();
    kept.Update(swept.status());
    more = swept.value_or(false);
  }
  swept_ = now;
  return kept;
}

void PostgresStore::RunMaintenance() {
  bool well = true;
  while (true) {
    {
      absl::MutexLock lock(&maintenance_mutex_);
      if (maintenance_mutex_.AwaitWithTimeout(absl::Condition(&stopping_), kMaintenancePeriod)) return;
    }
    const absl::Status status = Tidy();
    if (well && !status.ok() && options_.on_maintenance_failed != nullptr) options_.on_maintenance_failed(status);
    well = status.ok();
  }
}

}  // namespace toolgate::storage::postgres
