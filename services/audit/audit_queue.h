// Queue for audit entries of calls that commit nothing else.
#ifndef TOOLGATE_SERVICES_AUDIT_AUDIT_QUEUE_H_
#define TOOLGATE_SERVICES_AUDIT_AUDIT_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "coordination/leases/leases.h"
#include "storage/audit_chain.h"
#include "storage/store.h"
#include "toolgate/config/v1/config.pb.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::services::audit {

// Collects the entries of read calls and refusals and appends them to the store in groups, on a thread of its own. A
// crash may lose the entries of the last flush interval and nothing else. Thread-safe.
//
// The thread also drops entries older than the retention, one step of the store after each flush, so that a long log
// delays neither new entries nor the shutdown.
//
// If the store fails, the entries stay and are tried again; once `max_pending` of them or `max_pending_bytes` wait, Add
// refuses, so that no call goes unaudited. One entry has at most a few hundred KiB: its texts and lists are cut to
// common/message_bounds.h.
class AuditQueue {
 public:
  struct Options {
    // Of entries as they are stored.
    size_t max_pending_bytes = size_t{64} << 20;
    // Told after each attempt: how many entries, how long it took, and what came of it.
    std::function<void(size_t, absl::Duration, const absl::Status&)> on_flush = nullptr;
    // Called with the reason for which entries older than the retention still exist.
    std::function<void(const absl::Status&)> on_trim_failed = nullptr;
    const Clock* clock = &Clock::Real();  // Borrowed; decides what is older than the retention.
    // Borrowed; lets one process at a time drop old entries. Null: no other one does.
    coordination::leases::Leases* leases = nullptr;
  };

  // Borrows `store`. Entries older than the configured retention are dropped from the log, once a minute.
  AuditQueue(storage::Store& store, const toolgate::config::v1::Audit& config, Options options);
  // Flushes what is there.
  ~AuditQueue();
  AuditQueue(const AuditQueue&) = delete;
  AuditQueue& operator=(const AuditQueue&) = delete;

  // UNAVAILABLE if the queue is full; the entry is not accepted then. Packs the entry, so that it can be reused.
  absl::Status Add(const v1::AuditEntry& entry);

  // Returns once everything added before is durable, or the store failed to make it so.
  absl::Status Flush();

  size_t pending() const { return pending_.load(std::memory_order_relaxed); }

  // Age of the oldest entry that is not durable; zero if all are. Grows while the store fails.
  absl::Duration lag() const;

 private:
  void Loop();
  // One step of dropping old entries, if it is due.
  void Trim();
  // Whether no other process drops entries; until the trim ends.
  bool TakeTrimLease();
  // `bytes` is the size of `batch`, as counted in pending_bytes_.
  void WriteBatch(std::vector<storage::PackedAuditEntry> batch, size_t bytes);
  bool Due() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  storage::Store& store_;
  const absl::Duration flush_interval_;
  const size_t max_pending_;
  const absl::Duration retention_;
  const Options options_;
  // Above this number, the thread does not wait for its interval.
  const size_t eager_;
  // Used only by the thread: when the next trim begins, and where the current one continues (0: there is none).
  absl::Time next_trim_ = absl::InfinitePast();
  int64_t trim_from_ = 0;
  std::optional<coordination::leases::Leases::Lease> trim_lease_;  // While a trim is under way.
  std::atomic<size_t> pending_{0};

  mutable absl::Mutex mutex_;
  absl::CondVar due_;  // Signalled while Due(). A condition of the mutex would be evaluated at the end of each Add.
  // When the first of entries_, and of the batch that is being written, was added, in Clock::Monotonic; infinite if
  // there is none.
  absl::Duration entries_since_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteDuration();
  absl::Duration batch_since_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteDuration();
  std::vector<storage::PackedAuditEntry> entries_ ABSL_GUARDED_BY(mutex_);
  size_t entries_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t pending_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // Size of entries_ and of the batch that is being written.
  uint64_t rounds_started_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t rounds_done_ ABSL_GUARDED_BY(mutex_) = 0;
  int flushers_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status last_status_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace toolgate::services::audit

#endif  // TOOLGATE_SERVICES_AUDIT_AUDIT_QUEUE_H_
