// Places that callers share, with a fair line for those who find none.
#ifndef TOOLGATE_COMMON_FAIRNESS_FAIR_LINE_H_
#define TOOLGATE_COMMON_FAIRNESS_FAIR_LINE_H_

#include <cstdint>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/fairness/fair_shares.h"
#include "common/fibers/event.h"

namespace toolgate::fairness {

// FairShares for calls that run at the same time. A caller that finds no place joins the line and waits for an event,
// in the way that suits it; a new call never overtakes one that waits and could have a place. Thread-safe.
class FairLine {
 public:
  using Account = FairShares::Account;
  // In line. Owned by the call, which leaves the line before it destroys this, or has seen `came` set.
  struct Waiter : FairShares::Waiter {
    fibers::Event came;  // Set when `account` has a place.
  };

  FairLine(int64_t places, const Shares& shares) : shares_(places, shares) {}
  FairLine(const FairLine&) = delete;
  FairLine& operator=(const FairLine&) = delete;

  // The account that has taken a place; nullptr when the party may have none now.
  Account* TryTake(const Party& party) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes a place for `waiter`, or puts it in line. True: taken.
  bool TakeOrJoin(const Party& party, Waiter& waiter) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes `waiter` out of the line and answers the bound that kept it there; nothing when a place is on its way to it.
  std::optional<Bound> Leave(Waiter& waiter) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives a place back. Unless `for_good`, the account lasts for Retake.
  void Release(Account& account, bool for_good = true) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes a place again, at once: one beyond the bound when none is free.
  void Retake(Account& account) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether any party, whatever it holds, would get a place at the moment.
  bool HasRoomForAnyone() const ABSL_LOCKS_EXCLUDED(mutex_);
  // More than there are while calls that stepped back have places beyond the bound.
  int64_t taken() const ABSL_LOCKS_EXCLUDED(mutex_);
  int64_t waiting() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  // While this is not locked, no one waits who could have a place.
  FairShares shares_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::fairness

#endif  // TOOLGATE_COMMON_FAIRNESS_FAIR_LINE_H_
