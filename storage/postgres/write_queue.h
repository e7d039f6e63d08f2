// Group commit: of the callers that write to one workspace, one leads and runs what waits in one transaction.
#ifndef TOOLGATE_STORAGE_POSTGRES_WRITE_QUEUE_H_
#define TOOLGATE_STORAGE_POSTGRES_WRITE_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"
#include "storage/audit_chain.h"
#include "storage/postgres/session.h"

namespace toolgate::storage::postgres {

// One body of work. Its caller waits for it, and leaves it when the call ends before it has begun.
class WriteJob {
 public:
  // Adds the entries to chain if it succeeds to `audit`.
  using Body = absl::FunctionRef<absl::Status(Session&, std::vector<PackedAuditEntry>& audit)>;

  WriteJob(const fibers::Cancellation& call, Body body) : call_(call), body_(body) {}

  const fibers::Cancellation& call() const { return call_; }
  // For the leader: false if the caller has left. Otherwise it stays until the job is done. May be called again.
  bool Begin();
  absl::Status RunBody(Session& session, std::vector<PackedAuditEntry>& audit) { return body_(session, audit); }

  absl::Status status;

 private:
  friend class WriteQueue;
  enum class State { kWaiting, kBegun, kLeft };

  // False if it has begun.
  bool Leave();

  const fibers::Cancellation& call_;
  const Body body_;
  std::atomic<State> state_{State::kWaiting};
  fibers::Event turn_;  // To lead, or to go on if done_.
  bool done_ = false;
};

// One line a workspace. Thread-safe.
class WriteQueue {
 public:
  using Jobs = absl::Span<const std::shared_ptr<WriteJob>>;
  // Runs the jobs in order, sets the status of each, and returns how many it has done: the first at least. Never called
  // by two callers at once for one workspace.
  using RunBatch = std::function<size_t(std::string_view workspace_id, Jobs jobs)>;

  WriteQueue(size_t max_batch, fibers::WaitTimer& timer, RunBatch run)
      : max_batch_(max_batch), timer_(timer), run_(std::move(run)) {}

  // Waits until the job has run, and returns its status; or the call's own error if that ends first.
  absl::Status Run(std::string_view workspace_id, const fibers::Cancellation& call, WriteJob::Body body);

 private:
  struct Line {
    std::deque<std::shared_ptr<WriteJob>> waiting;
    std::shared_ptr<WriteJob> leader;
  };

  absl::Status Await(const std::string& workspace_id, WriteJob& job);
  absl::Status Lead(const std::string& workspace_id, const std::shared_ptr<WriteJob>& job);
  std::vector<std::shared_ptr<WriteJob>> TakeBatch(const std::string& workspace_id);
  // Puts those that were not done back to the front, and hands the lead on.
  void PassOn(const std::string& workspace_id, Jobs left);

  const size_t max_batch_;
  fibers::WaitTimer& timer_;
  const RunBatch run_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Line> lines_ ABSL_GUARDED_BY(mutex_);  // Those with a leader.
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_WRITE_QUEUE_H_
