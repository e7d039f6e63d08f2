// Read-only connections that keep their snapshot while nothing is committed, so that a hot read costs no lock on the
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
#include "storage/read_patience.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// One connection of the pool. Used by one thread at a time.
class Reader {
 public:
  explicit Reader(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  Connection& connection() { return *connection_; }

  // Makes the snapshot hold everything that was committed at `generation`.
  absl::Status Refresh(uint64_t generation);
  // Lets go of the snapshot, so that the write-ahead log can be emptied.
  void Release();
  // 0 when there is no such workspace in the snapshot.
  absl::StatusOr<int64_t> WorkspaceKey(std::string_view id);

 private:
  const std::unique_ptr<Connection> connection_;
  absl::flat_hash_map<std::string, int64_t> workspace_keys_;  // Keys are for ever; at most 10,000 are remembered.
  uint64_t generation_ = 0;                                   // 0: no snapshot.
};

// Thread-safe.
class ReaderPool {
 public:
  // Opens connections when they are first needed, at most `size` for those who can wait.
  ReaderPool(std::string path, Connection::Options options, size_t size);

  // A reader for the caller alone; waits when all are busy, or opens one more for a caller that may not wait: so there
  // are never more of these than callers that may not wait met at one time. CANCELLED or TIMEOUT (ToolError) when the
  // patience ends. Give it back with Return.
  absl::StatusOr<Reader*> Take(const ReadPatience& patience);
  // For a caller that gave one back; waits when all are busy.
  Reader* TakeAgain();
  void Return(Reader* reader);

  // Ends the snapshots of all readers that nobody uses.
  void ReleaseIdle();

 private:
  // Waits until one is idle or may be opened.
  absl::Status AwaitTurn(const ReadPatience& patience) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits until one comes back, or for less.
  void AwaitReturn(absl::Duration at_most) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Reader* PopIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  const Connection::Options options_;
  const size_t size_;
  absl::Mutex mutex_;
  absl::CondVar returned_;
  std::vector<std::unique_ptr<Reader>> readers_ ABSL_GUARDED_BY(mutex_);
  std::vector<Reader*> idle_ ABSL_GUARDED_BY(mutex_);  // The last one used is the first one taken: it is warm.
  size_t opened_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Holds a reader for a scope, in which it serves a call.
class BorrowedReader {
 public:
  // `call` ends the reader's statements, unless nullptr.
  BorrowedReader(ReaderPool& pool, Reader* reader, const Cancellation* call) : pool_(pool), call_(call) {
    Hold(reader);
  }
  BorrowedReader(const BorrowedReader&) = delete;
  BorrowedReader& operator=(const BorrowedReader&) = delete;
  ~BorrowedReader() { GiveBack(); }
  Reader* operator->() { return reader_; }
  Reader& operator*() { return *reader_; }

  // Lets others have the reader until `wait` returns, and answers what that answers. The reader afterwards may be
  // another one, with another snapshot or none.
  absl::Status GiveBackDuring(absl::FunctionRef<absl::Status()> wait) {
    GiveBack();
    absl::Status status = wait();
    Hold(pool_.TakeAgain());
    return status;
  }

 private:
  void Hold(Reader* reader) {
    reader_ = reader;
    scope_.emplace(reader->connection(), call_);
  }
  void GiveBack() {
    if (reader_ == nullptr) return;
    scope_.reset();
    pool_.Return(std::exchange(reader_, nullptr));
  }

  ReaderPool& pool_;
  const Cancellation* const call_;
  Reader* reader_ = nullptr;  // nullptr while others have it.
  std::optional<CallScope> scope_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_READER_POOL_H_
