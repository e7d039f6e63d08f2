// Read-only connections that keep their snapshot while nothing is committed, so that a hot read takes no lock on the
// file.
#ifndef TOOLGATE_STORAGE_SQLITE_READER_POOL_H_
#define TOOLGATE_STORAGE_SQLITE_READER_POOL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/fairness/fair_line.h"
#include "common/fairness/fair_shares.h"
#include "common/fairness/shared_count.h"
#include "common/fibers/wait_timer.h"
#include "storage/read_patience.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// A caller's turn in a line for readers; without an account for a caller that may not wait.
struct ReaderTurn {
  fairness::FairLine* line = nullptr;
  fairness::FairLine::Account* account = nullptr;

  void End() const {
    if (account != nullptr) line->Release(*account);
  }
};

// One connection of the pool. Used by one thread at a time.
class Reader {
 public:
  explicit Reader(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  Connection& connection() { return *connection_; }

  // Makes the snapshot contain everything that was committed at `generation`.
  absl::Status Refresh(uint64_t generation);
  // Ends the snapshot, so that the write-ahead log can be emptied.
  void Release();
  // Whether something failed since the caller took the reader, because its snapshot was revoked.
  bool refused() const { return connection_->refused(); }
  // 0 if there is no such workspace in the snapshot.
  absl::StatusOr<int64_t> WorkspaceKey(std::string_view id);

 private:
  friend class ReaderPool;

  const std::unique_ptr<Connection> connection_;
  absl::flat_hash_map<std::string, int64_t> workspace_keys_;  // Keys never change; at most 10,000 are cached.
  uint64_t generation_ = 0;                                   // 0: no snapshot.
  // Guarded by the pool's lock: whether a caller has the reader, in which turn of a line, and the number of turnovers
  // when it was taken.
  bool taken_ = false;
  ReaderTurn lent_in_;
  uint64_t turn_ = 0;
  bool revoking_ = false;  // Revoked since then,
  bool revoked_ = false;   // and without a snapshot by now.
  bool backs_up_ = false;
};

// Callers share the readers and wait for them in a fair line, so that one user's long reads leave some to the others. A
// fiber that waits steps aside (common/fibers/event.h). Thread-safe.
class ReaderPool {
 public:
  // Of calls that wait; a user and a workspace have shares of them, too.
  static constexpr int64_t kMaxWaiting = 1024;

  // Opens connections on first use, at most `size` for callers that can wait, and a quarter of that for long reads,
  // which wait for each other alone.
  ReaderPool(std::string path, Connection::Options options, size_t size, const fairness::Shares& shares);

  // A reader for the caller alone. If it may have none now, it waits, or takes one more if it may not wait; so the
  // number of additional ones is the highest number of such callers at the same time. CANCELLED or TIMEOUT (ToolError)
  // when the patience ends; OVERLOADED when too many wait already, unless nothing ends the patience. Give it back with
  // Return. The caller holds no lock.
  absl::StatusOr<Reader*> Take(const ReadPatience& patience);
  // For a caller that gave one back: as Take, but one more when the patience has ended.
  Reader* TakeAgain(const ReadPatience& patience);
  void Return(Reader* reader);

  // Ends the snapshots of all idle readers.
  void ReleaseIdle();

  // A turnover replaces all snapshots by later ones, without holding up a read: BeginTurnover ends the snapshots of
  // idle readers at once, and from then on those of busy ones when they are returned. One caller at a time.
  void BeginTurnover();
  // Waits until all snapshots from before the last BeginTurnover have ended; false if that takes longer than `at_most`.
  bool AwaitTurnover(absl::Duration at_most);
  // Revokes the snapshots that the turnover waits for, those of backups only if `backups_too`. Returns the number of
  // those that were not revoked before. Repeat it until the turnover is over: one that is being read ends a moment
  // later.
  size_t RevokeOld(bool backups_too);
  // For a reader that is taken: it is for a backup, whose snapshot must last.
  void MarkBackup(Reader& reader);
  // Whether the turnover waits for a backup.
  bool HasOldBackup();

 private:
  // Waits until it is the party's turn in its line.
  absl::StatusOr<ReaderTurn> AwaitTurn(const ReadPatience& patience) ABSL_LOCKS_EXCLUDED(mutex_);
  // For one whose turn it is: one that is idle, if there is one; a new one.
  Reader* PopIdle(const ReaderTurn& turn) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Reader*> Open(const ReaderTurn& turn) ABSL_LOCKS_EXCLUDED(mutex_);
  Reader* Lend(Reader* reader, const ReaderTurn& turn) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Its snapshot may be from before the last turnover.
  bool IsOld(const Reader& reader) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return reader.taken_ && reader.turn_ != turn_ && !reader.revoked_;
  }
  bool HasTurned() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  const Connection::Options options_;
  fairness::FairLine line_;
  fairness::FairLine long_line_;
  fairness::SharedCount waiting_;
  fibers::WaitTimer timer_;  // On the real clock: it asks each call, whose deadline is on its own.
  absl::Mutex mutex_;
  absl::CondVar returned_;  // For a caller that found none idle, and could open none.
  std::vector<std::unique_ptr<Reader>> readers_ ABSL_GUARDED_BY(mutex_);
  std::vector<Reader*> idle_ ABSL_GUARDED_BY(mutex_);  // The last one used is taken first: it is warm.
  uint64_t turn_ ABSL_GUARDED_BY(mutex_) = 0;          // Number of turnovers.
};

// Holds a reader during its scope, in which the reader serves a call.
class BorrowedReader {
 public:
  // The patience's call, if it has one, ends the reader's statements.
  BorrowedReader(ReaderPool& pool, Reader* reader, const ReadPatience& patience) : pool_(pool), patience_(patience) {
    Hold(reader);
  }
  BorrowedReader(const BorrowedReader&) = delete;
  BorrowedReader& operator=(const BorrowedReader&) = delete;
  ~BorrowedReader() { GiveBack(); }
  Reader* operator->() { return reader_; }
  Reader& operator*() { return *reader_; }

  // Gives the reader back while `wait` runs, and returns the result of that. Afterwards it may be another reader, with
  // another snapshot or none.
  absl::Status GiveBackDuring(absl::FunctionRef<absl::Status()> wait) {
    GiveBack();
    absl::Status status = wait();
    Hold(pool_.TakeAgain(patience_));
    return status;
  }

 private:
  void Hold(Reader* reader) {
    reader_ = reader;
    scope_.emplace(reader->connection(), patience_.cancellation);
  }
  void GiveBack() {
    if (reader_ == nullptr) return;
    scope_.reset();
    pool_.Return(std::exchange(reader_, nullptr));
  }

  ReaderPool& pool_;
  const ReadPatience patience_;
  Reader* reader_ = nullptr;  // nullptr while given back.
  std::optional<CallScope> scope_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_READER_POOL_H_
