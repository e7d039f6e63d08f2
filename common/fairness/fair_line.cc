#include "common/fairness/fair_line.h"

#include "absl/container/inlined_vector.h"

namespace toolgate::fairness {

FairLine::Account* FairLine::TryTake(const Party& party) {
  absl::MutexLock lock(&mutex_);
  Account& account = shares_.Open(party);
  if (shares_.Exceeded(account) == Bound::kNone) {
    shares_.Take(account);
    return &account;
  }
  shares_.Close(account);
  return nullptr;
}

bool FairLine::TakeOrJoin(const Party& party, Waiter& waiter) {
  absl::MutexLock lock(&mutex_);
  waiter.account = &shares_.Open(party);
  if (shares_.Exceeded(*waiter.account) == Bound::kNone) {
    shares_.Take(*waiter.account);
    return true;
  }
  shares_.Join(waiter);
  return false;
}

std::optional<Bound> FairLine::Leave(Waiter& waiter) {
  absl::MutexLock lock(&mutex_);
  if (!waiter.in_line) return std::nullopt;
  const Bound bound = shares_.Exceeded(*waiter.account);
  shares_.Leave(waiter);
  shares_.Close(*waiter.account);
  return bound;
}

void FairLine::Release(Account& account, bool for_good) {
  // One place that comes free may be for one call, and make room in their shares for a few others.
  absl::InlinedVector<Waiter*, 4> granted;
  {
    absl::MutexLock lock(&mutex_);
    shares_.Release(account);
    while (FairShares::Waiter* const next = shares_.Grant()) granted.push_back(static_cast<Waiter*>(next));
    if (for_good) shares_.Close(account);
  }
  for (Waiter* const waiter : granted) waiter->came.Set();
}

void FairLine::Retake(Account& account) {
  absl::MutexLock lock(&mutex_);
  shares_.Take(account);
}

bool FairLine::HasRoomForAnyone() const {
  absl::MutexLock lock(&mutex_);
  return shares_.HasRoomForAnyone();
}

int64_t FairLine::taken() const {
  absl::MutexLock lock(&mutex_);
  return shares_.taken();
}

int64_t FairLine::waiting() const {
  absl::MutexLock lock(&mutex_);
  return shares_.waiting();
}

}  // namespace toolgate::fairness
