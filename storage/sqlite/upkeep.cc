// The store's upkeep: indexes, expired records, the write-ahead log.
#include <initializer_list>
#include <limits>
#include <utility>

#include "absl/time/time.h"
#include "common/status_macros.h"
#include "storage/sqlite/field_rows.h"
#include "storage/sqlite/sqlite_store.h"

namespace toolgate::storage::sqlite {
namespace {

// Of the write-ahead log, with 4 KiB each: from this number on, maintenance copies them to the database.
constexpr int64_t kCopiedLogPages = 1000;
constexpr absl::Duration kLogPutOff = absl::Milliseconds(100);
constexpr absl::Duration kMaintenancePeriod = absl::Milliseconds(250);
// Under steady writes there is no quiet round, and without this the backlog of the search index would grow without end.
constexpr absl::Duration kIndexPeriod = absl::Seconds(5);
constexpr absl::Duration kSweepPeriod = absl::Minutes(1);
constexpr absl::Duration kCountPeriod = absl::Seconds(5);
// Rows of each table. With the steps of a round this allows 16,000 a second, which is more than can be written.
constexpr int64_t kSweepStep = 256;
constexpr int kSweepStepsOfARound = 16;
// Blocks whose fields are indexed while mutations wait, some 5 ms.
constexpr int64_t kFieldStep = 500;
constexpr int kFieldStepsOfARound = 40;
constexpr absl::Duration kConfirmationLifetimeAfterExpiry = absl::Hours(24);

// Of the oldest rows; their age needs no index.
constexpr char kSweepOutcomes[] =
    "DELETE FROM outcomes WHERE row IN (SELECT row FROM (SELECT row, created_at FROM outcomes ORDER BY row LIMIT ?2) "
    "WHERE created_at <= ?1)";
constexpr char kSweepKept[] =
    "DELETE FROM kept_results WHERE row IN (SELECT row FROM kept_results WHERE created_at <= ? LIMIT ?)";
constexpr char kSweepConfirmations[] =
    "DELETE FROM confirmations WHERE row IN (SELECT row FROM confirmations WHERE expires_at <= ? LIMIT ?)";
// Reads only the confirmations that have not expired, however many older ones are kept.
constexpr char kCountConfirmations[] =
    "SELECT count(*) FROM confirmations INDEXED BY confirmations_by_expiry WHERE expires_at > ? AND state = 0";
// For a read of the store itself, a thread of its own: it is short.
const ReadPatience kOwnRead{.may_wait = false};

}  // namespace

absl::Status SqliteStore::CatchUpSearch(SearchBacklog backlog, const fibers::Cancellation* cancellation) {
  while (!backlog.empty()) {
    if (cancellation != nullptr) RETURN_IF_ERROR(cancellation->Check());
    SearchBacklog left;
    RETURN_IF_ERROR(Write([&](Writer& writer) {
      left = backlog;  // The writer may run this more than once.
      return writer.CatchUpSearch(left);
    }));
    backlog = left;
  }
  return absl::OkStatus();
}

absl::Status SqliteStore::CatchUpSearch(const fibers::Cancellation* cancellation) {
  SearchBacklog backlog;
  RETURN_IF_ERROR(Write([&](Writer& writer) -> absl::Status {
    ASSIGN_OR_RETURN(backlog, MeasureSearchBacklog(writer.connection()));
    return absl::OkStatus();
  }));
  return CatchUpSearch(backlog, cancellation);
}

absl::Status SqliteStore::IndexAudit() {
  for (bool more = true; more;) {
    RETURN_IF_ERROR(Write([&](Writer& writer) -> absl::Status {
      ASSIGN_OR_RETURN(more, writer.IndexAudit());
      return absl::OkStatus();
    }));
  }
  return absl::OkStatus();
}

absl::Status SqliteStore::IndexFields(int max_steps) {
  for (int step = 0; step < max_steps && has_fields_to_index_; ++step) {
    bool more = false;
    const absl::Status indexed = Write([&](Writer& writer) -> absl::Status {
      RETURN_IF_ERROR(writer.BeforeChange());
      ASSIGN_OR_RETURN(more, AddFieldRows(writer.connection(), options_.fields, kFieldStep));
      return absl::OkStatus();
    });
    RETURN_IF_ERROR(indexed);
    has_fields_to_index_ = more;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> SqliteStore::SweepStep() {
  const absl::Time now = options_.clock->Now();
  bool full = false;
  const absl::Status swept = Write([&](Writer& writer) -> absl::Status {
    RETURN_IF_ERROR(writer.BeforeChange());
    Connection& connection = writer.connection();
    full = false;  // The writer may run this more than once.
    for (const auto& [statement, lifetime] : std::initializer_list<std::pair<const char*, absl::Duration>>{
             {kSweepOutcomes, kOutcomeLifetime},
             {kSweepKept, kKeptResultLifetime},
             {kSweepConfirmations, kConfirmationLifetimeAfterExpiry}}) {
      RETURN_IF_ERROR(connection.Use(statement).Bind(absl::ToUnixMicros(now - lifetime), kSweepStep).Run());
      full |= sqlite3_changes64(connection.db()) == kSweepStep;
    }
    return absl::OkStatus();
  });
  RETURN_IF_ERROR(swept);
  return full;
}

absl::StatusOr<bool> SqliteStore::Sweep(int max_steps) {
  for (int step = 0; step < max_steps; ++step) {
    ASSIGN_OR_RETURN(const bool more, SweepStep());
    if (!more) return false;
  }
  return true;
}

absl::StatusOr<bool> SqliteStore::KeepLog() {
  LogKeeper::Kept kept;
  const absl::Status status = log_.Keep(kept);
  if (options_.observer != nullptr) {
    if (kept.pause.has_value()) options_.observer->OnLogPause(kept.emptied, *kept.pause);
    if (kept.revoked > 0) options_.observer->OnSnapshotsRevoked(kept.revoked);
  }
  RETURN_IF_ERROR(status);
  return !log_.IsLong();
}

absl::Status SqliteStore::Maintain() {
  RETURN_IF_ERROR(CatchUpSearch(nullptr));
  RETURN_IF_ERROR(IndexAudit());
  RETURN_IF_ERROR(IndexFields(std::numeric_limits<int>::max()));
  for (bool more = true; more;) {
    ASSIGN_OR_RETURN(more, Sweep(kSweepStepsOfARound));
  }
  RETURN_IF_ERROR(log_.Copy());
  return KeepLog().status();
}

absl::Status SqliteStore::Tidy() {
  absl::Status kept;
  const absl::Duration now = options_.clock->Monotonic();
  if (writer_.batches() == tidied_batches_ || now - indexed_ >= kIndexPeriod) {
    kept.Update(CatchUpSearch(nullptr));
    kept.Update(IndexAudit());
    indexed_ = now;
  }
  kept.Update(IndexFields(kFieldStepsOfARound));
  tidied_batches_ = writer_.batches();
  if (writer_.log_pages() >= kCopiedLogPages) kept.Update(log_.Copy());
  if (options_.observer != nullptr) options_.observer->OnLogSize(log_.Bytes());
  kept.Update(CountConfirmations(now));
  if (now - swept_ < kSweepPeriod) return kept;
  // The next round continues with the rest.
  const absl::StatusOr<bool> more = Sweep(kSweepStepsOfARound);
  if (!more.ok() || !*more) swept_ = now;
  kept.Update(more.status());
  return kept;
}

absl::Status SqliteStore::CountConfirmations(absl::Duration now) {
  if (options_.observer == nullptr || now - counted_ < kCountPeriod) return absl::OkStatus();
  int64_t count = 0;
  const absl::Status read = WithReader("", kOwnRead, [&](BorrowedReader& reader, int64_t) -> absl::Status {
    Cursor cursor = reader->connection().Use(kCountConfirmations);
    RETURN_IF_ERROR(cursor.Bind(absl::ToUnixMicros(options_.clock->Now())).Step().status());
    count = cursor.Int(0);
    return absl::OkStatus();
  });
  RETURN_IF_ERROR(read);
  counted_ = now;
  options_.observer->OnWaitingConfirmations(count);
  return absl::OkStatus();
}

void SqliteStore::RunMaintenance() {
  bool well = true;
  while (true) {
    {
      absl::MutexLock lock(&maintenance_mutex_);
      if (maintenance_mutex_.AwaitWithTimeout(absl::Condition(&stopping_), kMaintenancePeriod)) return;
    }
    TellFailure(Tidy(), well);
  }
}

void SqliteStore::RunLogKeeper() {
  bool well = true;
  const auto due = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(maintenance_mutex_) { return stopping_ || log_is_long_; };
  while (true) {
    {
      absl::MutexLock lock(&maintenance_mutex_);
      maintenance_mutex_.Await(absl::Condition(&due));
      if (stopping_) return;
      log_is_long_ = false;
    }
    const absl::StatusOr<bool> kept = KeepLog();
    TellFailure(kept.status(), well);
    if (kept.ok() && *kept) continue;
    absl::MutexLock lock(&maintenance_mutex_);
    log_is_long_ = !maintenance_mutex_.AwaitWithTimeout(absl::Condition(&stopping_), kLogPutOff);
  }
}

void SqliteStore::TellFailure(const absl::Status& status, bool& well) {
  if (well && !status.ok() && options_.on_maintenance_failed != nullptr) options_.on_maintenance_failed(status);
  well = status.ok();
}

}  // namespace toolgate::storage::sqlite
