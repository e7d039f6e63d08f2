#include "storage/sqlite/log_keeper.h"

#include <sys/stat.h>

#include <limits>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "common/status_macros.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr int64_t kFrameBytes = 4096 + 24;  // A page and its header in the log.
// Pages that are copied within a few milliseconds, while mutations wait.
constexpr int64_t kFewPages = 512;
constexpr int kRoundsBefore = 3;
constexpr int kRoundsInTurn = 4;
// No one waits for the first.
constexpr absl::Duration kTurnBefore = absl::Milliseconds(100);
constexpr absl::Duration kTurn = absl::Milliseconds(20);
constexpr absl::Duration kTurnWhenInsisting = absl::Milliseconds(100);
// A query that is under way notices within some 30 µs that its snapshot is revoked, unless it is ranking a long text.
constexpr absl::Duration kRevocation = absl::Milliseconds(1);
constexpr int kRevocations = 500;
// A log of this many times the limit grows faster than the disk takes its pages; a commit then waits so long for them.
constexpr int64_t kFullLogs = 2;
constexpr absl::Duration kLongestCopy = absl::Milliseconds(500);
// The log of a backup, whose snapshot lasts for the whole copy, may have this many times the limit.
constexpr int64_t kBackupLogs = 16;

}  // namespace

LogKeeper::LogKeeper(std::string path, int64_t limit, const Clock& clock, std::unique_ptr<Connection> connection,
                     Writer& writer, WriteQueue& queue, ReaderPool& readers)
    : log_path_(std::move(path) + "-wal"),
      limit_pages_(limit / kFrameBytes),
      clock_(clock),
      writer_(writer),
      queue_(queue),
      readers_(readers),
      connection_(std::move(connection)) {}

bool LogKeeper::IsLong() const {
  return writer_.log_pages() >= limit_pages_ && writer_.batches() != emptied_at_.load(std::memory_order_relaxed);
}

int64_t LogKeeper::Bytes() const {
  struct stat log;
  return stat(log_path_.c_str(), &log) == 0 ? int64_t{log.st_size} : 0;
}

absl::StatusOr<int64_t> LogKeeper::CopyRest() {
  absl::MutexLock lock(&mutex_);
  int pages = 0;
  int copied = 0;
  const int result = sqlite3_wal_checkpoint_v2(connection_->db(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied);
  if (result == SQLITE_BUSY) return std::numeric_limits<int64_t>::max();
  RETURN_IF_ERROR(SqliteStatus(connection_->db(), result, "emptying the write-ahead log"));
  return int64_t{pages} - copied;
}

absl::Status LogKeeper::Copy() {
  readers_.ReleaseIdle();
  return CopyRest().status();
}

absl::Status LogKeeper::Keep(Kept& kept) {
  if (!IsLong()) return absl::OkStatus();
  const Patience patience =
      writer_.log_pages() < limit_pages_ + limit_pages_ / 2 ? Patience::kPutOff : Patience::kInsist;
  readers_.BeginTurnover();
  if (!Turn(kTurnBefore, patience, kept)) return absl::OkStatus();
  absl::Status status = CopyMost();
  RETURN_IF_ERROR(status);
  queue_.RunAlone([&] {
    const absl::Duration start = clock_.Monotonic();
    status = Empty(patience, kept);
    kept.pause = clock_.Monotonic() - start;
  });
  return status;
}

absl::Status LogKeeper::CopyMost() {
  copying_.store(true, std::memory_order_relaxed);
  const absl::Cleanup done = [this] {
    absl::MutexLock lock(&copied_mutex_);
    copying_.store(false, std::memory_order_relaxed);
  };
  for (int round = 0; round < kRoundsBefore; ++round) {
    ASSIGN_OR_RETURN(const int64_t left, CopyRest());
    if (left <= kFewPages) break;
  }
  return absl::OkStatus();
}

void LogKeeper::AwaitRoom() {
  if (writer_.log_pages() < kFullLogs * limit_pages_) return;
  const auto copied = [this] { return !copying_.load(std::memory_order_relaxed); };
  absl::MutexLock lock(&copied_mutex_);
  copied_mutex_.AwaitWithTimeout(absl::Condition(&copied), kLongestCopy);
}

absl::Status LogKeeper::Empty(Patience patience, Kept& kept) {
  bool copied = false;
  for (int round = 0; round < kRoundsInTurn; ++round) {
    readers_.BeginTurnover();
    if (!Turn(patience == Patience::kInsist ? kTurnWhenInsisting : kTurn, patience, kept)) return absl::OkStatus();
    if (copied) {
      kept.emptied = true;
      emptied_at_.store(writer_.batches(), std::memory_order_relaxed);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const int64_t left, CopyRest());
    copied = left == 0;
  }
  return absl::OkStatus();
}

bool LogKeeper::Turn(absl::Duration at_most, Patience patience, Kept& kept) {
  if (readers_.AwaitTurnover(at_most)) return true;
  if (patience == Patience::kPutOff) return false;
  const bool backups_too = writer_.log_pages() >= kBackupLogs * limit_pages_;
  if (!backups_too && readers_.HasOldBackup()) return false;  // To revoke the others would be in vain.
  for (int i = 0; i < kRevocations; ++i) {
    kept.revoked += readers_.RevokeOld(backups_too);
    if (readers_.AwaitTurnover(kRevocation)) return true;
  }
  return false;
}

}  // namespace toolgate::storage::sqlite
