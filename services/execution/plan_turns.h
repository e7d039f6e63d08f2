// Turns of calls whose plans keep coming out of date.
#ifndef TOOLGATE_SERVICES_EXECUTION_PLAN_TURNS_H_
#define TOOLGATE_SERVICES_EXECUTION_PLAN_TURNS_H_

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"

namespace toolgate::services::execution {

// Calls plan side by side, and of those that write the same, one commits and the others plan again. One that has lost
// several times takes the turn for its key: no other call of this process begins to plan until it is done, so that only
// those under way, and other replicas, can still come before it. Thread-safe.
class PlanTurns {
 public:
  // Held from Take on.
  class Turn {
   public:
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)), key_(std::move(other.key_)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_ != nullptr) turns_->Release(key_);
    }

   private:
    friend class PlanTurns;
    Turn(PlanTurns& turns, std::string key) : turns_(&turns), key_(std::move(key)) {}

    PlanTurns* turns_;
    std::string key_;
  };

  explicit PlanTurns(fibers::WaitTimer& waits) : waits_(waits) {}
  PlanTurns(const PlanTurns&) = delete;
  PlanTurns& operator=(const PlanTurns&) = delete;

  // Waits while a call has the turn for `key`. CANCELLED or TIMEOUT when the call must stop first.
  absl::Status Pass(const std::string& key, const fibers::Cancellation& cancellation) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for the turn behind those who asked before. CANCELLED or TIMEOUT when the call must stop first.
  absl::StatusOr<Turn> Take(const std::string& key, const fibers::Cancellation& cancellation)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // On the stack of the call that waits.
  struct Waiter {
    fibers::Event event;
    bool has_turn = false;
  };
  // There is one for each key whose turn is taken.
  struct Line {
    std::deque<Waiter*> takers;
    std::vector<Waiter*> passers;
  };

  void Release(const std::string& key) ABSL_LOCKS_EXCLUDED(mutex_);
  // False: it is not in line any more.
  template <typename Waiters>
  static bool Remove(Waiters& waiters, const Waiter& waiter);

  fibers::WaitTimer& waits_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Line> lines_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_PLAN_TURNS_H_
