// Waiting for people's decisions.
#ifndef TOOLGATE_SECURITY_CONFIRMATION_DECISION_WATCH_H_
#define TOOLGATE_SECURITY_CONFIRMATION_DECISION_WATCH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/caller.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"
#include "coordination/signals/signals.h"
#include "storage/records.h"
#include "storage/store.h"

namespace toolgate::security::confirmation {

// Lets calls wait until a confirmation is decided or used: a signal of the store ends the wait. Of a store that other
// processes use too, whose signals do not reach this one yet, each wait looks once in kLookInterval. A fiber that waits
// holds no thread. Thread-safe.
class DecisionWatch {
 public:
  static constexpr absl::Duration kLookInterval = absl::Seconds(1);
  static constexpr size_t kMaxWaiting = 1000;
  static constexpr size_t kMaxWaitingOfUser = 50;

  // Borrows everything.
  DecisionWatch(storage::Store& store, coordination::signals::Signals& signals, const Clock& clock,
                fibers::WaitTimer& timer)
      : store_(store), signals_(signals), clock_(clock), timer_(timer) {}

  // Returns the confirmation once it is not pending any more or has expired, or as it stands when `timeout` is over or
  // the watch stops; nothing if the caller's workspace has none with this id. OVERLOADED when too many wait already;
  // CANCELLED or TIMEOUT as Cancellation::Check. The caller holds no lock.
  absl::StatusOr<std::optional<storage::Confirmation>> Wait(const Caller& caller, const std::string& confirmation_id,
                                                            absl::Duration timeout,
                                                            const fibers::Cancellation& cancellation)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends all waits, also those to come, so that a shutdown need not wait for people.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls that wait now.
  size_t waiting() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Place;

  absl::Status Enter(const std::string& user, fibers::Event& event) ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(const std::string& user, fibers::Event& event) ABSL_LOCKS_EXCLUDED(mutex_);
  bool stopped() const ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::optional<storage::Confirmation>> Find(const Caller& caller, const std::string& confirmation_id,
                                                            const fibers::Cancellation& cancellation) const;

  storage::Store& store_;
  coordination::signals::Signals& signals_;
  const Clock& clock_;
  fibers::WaitTimer& timer_;
  mutable absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_set<fibers::Event*> events_ ABSL_GUARDED_BY(mutex_);  // On the stacks of those who wait.
  absl::flat_hash_map<std::string, size_t> waiting_by_user_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::security::confirmation

#endif  // TOOLGATE_SECURITY_CONFIRMATION_DECISION_WATCH_H_
