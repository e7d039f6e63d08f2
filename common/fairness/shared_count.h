// A bounded number of things that callers share.
#ifndef TOOLGATE_COMMON_FAIRNESS_SHARED_COUNT_H_
#define TOOLGATE_COMMON_FAIRNESS_SHARED_COUNT_H_

#include <cstdint>
#include <utility>
#include <variant>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/fairness/fair_shares.h"

namespace toolgate::fairness {

// Counts up to a bound, of which a user and a workspace have shares (FairShares), and refuses beyond it. Thread-safe.
class SharedCount {
 public:
  // One of those counted, until it ends. The count must outlive it.
  class Ticket {
   public:
    Ticket(Ticket&& other) noexcept : count_(std::exchange(other.count_, nullptr)), account_(other.account_) {}
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(count_, other.count_);
      std::swap(account_, other.account_);
      return *this;
    }
    ~Ticket() {
      if (count_ != nullptr) count_->Release(*account_);
    }

   private:
    friend class SharedCount;
    Ticket(SharedCount& count, FairShares::Account& account) : count_(&count), account_(&account) {}
    SharedCount* count_;
    FairShares::Account* account_;
  };
  // A ticket, or the bound that refuses it.
  using Taken = std::variant<Bound, Ticket>;

  explicit SharedCount(int64_t bound, const Shares& shares = {}) : bound_(bound), shares_(bound, shares) {}
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;

  Taken TryTake(const Party& party) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    FairShares::Account& account = shares_.Open(party);
    if (const Bound bound = shares_.Exceeded(account); bound != Bound::kNone) {
      shares_.Close(account);
      return bound;
    }
    shares_.Take(account);
    return Ticket(*this, account);
  }

  int64_t taken() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return shares_.taken();
  }
  int64_t bound() const { return bound_; }

 private:
  void Release(FairShares::Account& account) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    shares_.Release(account);
    shares_.Close(account);
  }

  const int64_t bound_;
  mutable absl::Mutex mutex_;
  FairShares shares_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::fairness

#endif  // TOOLGATE_COMMON_FAIRNESS_SHARED_COUNT_H_
