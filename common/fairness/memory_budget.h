// Memory that the work of all callers together may take.
#ifndef TOOLGATE_COMMON_FAIRNESS_MEMORY_BUDGET_H_
#define TOOLGATE_COMMON_FAIRNESS_MEMORY_BUDGET_H_

#include <cstdint>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/fairness/fair_shares.h"

namespace toolgate::fairness {

// A bound on the bytes that queries hold at a time, of which a user and a workspace have shares (FairShares). No one
// waits for memory: who holds some already would keep it from those it waits for. So a query that finds none left ends,
// gives back what it has, and may be repeated. The first bytes of each query are not counted, so that small queries run
// however much the large ones take; how many run at a time is for others to bound. Thread-safe.
class MemoryBudget {
 public:
  struct Options {
    int64_t total_bytes = int64_t{128} << 20;
    Shares shares = {.of_user = 0.75, .of_workspace = 0.9};
    // Bytes that each query has beside the budget.
    int64_t free_bytes = int64_t{1} << 20;
  };

  // Bytes of one query. Used by one thread at a time; the budget must outlive it.
  class Reservation {
   public:
    Reservation(MemoryBudget& budget, const Party& party);
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    ~Reservation();

    // Sets the bytes in use. False, and nothing changes, when there is no room for more; see status.
    bool Resize(int64_t bytes) {
      // Asks the budget in steps, and gives back with some slack.
      if (bytes <= covered_ && bytes >= covered_ - kSlack) return true;
      return ResizeSlowly(bytes);
    }
    // OVERLOADED, retryable, once Resize has returned false: a ToolError that says whose share is used up.
    absl::Status status() const;

   private:
    bool ResizeSlowly(int64_t bytes);

    MemoryBudget& budget_;
    FairShares::Account& account_;
    int64_t covered_;       // With the free bytes.
    int64_t reserved_ = 0;  // Of the budget.
    Bound refused_by_ = Bound::kNone;
  };

  explicit MemoryBudget(const Options& options) : options_(options), shares_(options.total_bytes, options.shares) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  int64_t total_bytes() const { return options_.total_bytes; }
  int64_t reserved_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Queries that ended because nothing was left.
  int64_t refused() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  static constexpr int64_t kStep = int64_t{1} << 20;
  static constexpr int64_t kSlack = 2 * kStep;

  // Takes `more` bytes, or gives them back when negative.
  Bound Reserve(FairShares::Account& account, int64_t more) ABSL_LOCKS_EXCLUDED(mutex_);

  const Options options_;
  mutable absl::Mutex mutex_;
  FairShares shares_ ABSL_GUARDED_BY(mutex_);
  int64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace toolgate::fairness

#endif  // TOOLGATE_COMMON_FAIRNESS_MEMORY_BUDGET_H_
