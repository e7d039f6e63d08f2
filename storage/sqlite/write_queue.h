// Group commit: a caller that finds nobody writing becomes the leader, runs everything that waits, and wakes the others
// afterwards.
#ifndef TOOLGATE_STORAGE_SQLITE_WRITE_QUEUE_H_
#define TOOLGATE_STORAGE_SQLITE_WRITE_QUEUE_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "common/fibers/baton.h"

namespace toolgate::storage::sqlite {

// One body of work, owned by the caller that waits for it.
class WriteJob {
 public:
  // `body` runs inside a transaction, on the thread of any caller that leads.
  explicit WriteJob(absl::FunctionRef<absl::Status()> body) : body_(body) {}

  absl::Status RunBody() { return body_(); }

  absl::Status status;

 private:
  friend class WriteQueue;

  const absl::FunctionRef<absl::Status()> body_;
  fibers::Baton turn_;  // To lead, or to continue if done_.
  bool done_ = false;
  bool alone_ = false;  // Outside of any transaction.
};

// Thread-safe.
class WriteQueue {
 public:
  // Runs the jobs in order and sets the status of each. Never called by two threads at once.
  using RunBatch = std::function<void(absl::Span<WriteJob* const>)>;

  WriteQueue(size_t max_batch, RunBatch run) : max_batch_(max_batch), run_(std::move(run)) {}

  // Waits until the job has run; returns its status.
  absl::Status Run(WriteJob& job);
  // Runs `work` in its turn, outside of any transaction: no job runs meanwhile.
  void RunAlone(absl::FunctionRef<void()> work);

 private:
  // The jobs at the front, as many as one transaction takes; or the first one, if it runs alone.
  std::vector<WriteJob*> Batch();
  // Removes them from the front; returns the next leader, or nullptr.
  WriteJob* Remove(size_t count);

  const size_t max_batch_;
  const RunBatch run_;
  absl::Mutex mutex_;
  // The front leads; its batch stays here until it has run.
  std::deque<WriteJob*> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_WRITE_QUEUE_H_
