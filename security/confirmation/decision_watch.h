// Waiting for people's decisions.
#ifndef TOOLGATE_SECURITY_CONFIRMATION_DECISION_WATCH_H_
#define TOOLGATE_SECURITY_CONFIRMATION_DECISION_WATCH_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/caller.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"
#include "storage/records.h"
#include "storage/store.h"

namespace toolgate::security::confirmation {

// Lets calls wait until a confirmation is decided. A decision in this process ends the wait at once; one made elsewhere
// is found in the store within kLookInterval. A fiber that waits holds no thread. Thread-safe.
class DecisionWatch {
 public:
  static constexpr absl::Duration kLookInterval = absl::Seconds(1);
  static constexpr size_t kMaxWaiting = 1000;
  static constexpr size_t kMaxWaitingOfUser = 50;

  // Borrows everything.
  DecisionWatch(storage::Store& store, const Clock& clock, fibers::WaitTimer& timer)
      : store_(store), clock_(clock), timer_(timer) {}

  // Returns the confirmation once it is not pending any more or has expired, or as it stands when `timeout` is over or
  // the watch stops; nothing if the caller's workspace has none with this id. OVERLOADED when too many wait already;
  // CANCELLED or TIMEOUT as Cancellation::Check. The caller holds no lock.
  absl::StatusOr<std::optional<storage::Confirmation>> Wait(const Caller& caller, const std::string& confirmation_id,
                                                            absl::Duration timeout,
                                                            const fibers::Cancellation& cancellation)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the waits for a confirmation whose decision has been committed.
  void Decided(const std::string& confirmation_id) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends all waits, also those to come, so that a shutdown need not wait for people.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls that wait now.
  size_t waiting() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Place;

  absl::Status Enter(const std::string& user, const std::string& confirmation_id, fibers::Event& event)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(const std::string& user, const std::string& confirmation_id, const fibers::Event& event)
      ABSL_LOCKS_EXCLUDED(mutex_);
  bool stopped() const ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::optional<storage::Confirmation>> Find(const Caller& caller, const std::string& confirmation_id,
                                                            const fibers::Cancellation& cancellation) const;

  storage::Store& store_;
  const Clock& clock_;
  fibers::WaitTimer& timer_;
  mutable absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  // By confirmation id; on the stacks of those who wait.
  std::multimap<std::string, fibers::Event*> events_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, size_t> waiting_by_user_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::security::confirmation

#endif  // TOOLGATE_SECURITY_CONFIRMATION_DECISION_WATCH_H_
