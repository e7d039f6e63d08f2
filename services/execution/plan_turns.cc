#include "services/execution/plan_turns.h"

#include <algorithm>

#include "common/status_macros.h"

namespace toolgate::services::execution {

template <typename Waiters>
bool PlanTurns::Remove(Waiters& waiters, const Waiter& waiter) {
  const auto found = std::find(waiters.begin(), waiters.end(), &waiter);
  if (found == waiters.end()) return false;
  waiters.erase(found);
  return true;
}

absl::Status PlanTurns::Pass(const std::string& key, const fibers::Cancellation& cancellation) {
  Waiter waiter;
  {
    absl::MutexLock lock(&mutex_);
    const auto line = lines_.find(key);
    if (line == lines_.end()) return absl::OkStatus();
    line->second.passers.push_back(&waiter);
  }
  const absl::Status waited = waits_.Wait(waiter.event, cancellation).status();
  if (waited.ok()) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  if (const auto line = lines_.find(key); line != lines_.end()) Remove(line->second.passers, waiter);
  return waited;
}

absl::StatusOr<PlanTurns::Turn> PlanTurns::Take(const std::string& key, const fibers::Cancellation& cancellation) {
  Waiter waiter;
  {
    absl::MutexLock lock(&mutex_);
    const auto [line, is_free] = lines_.try_emplace(key);
    if (is_free) return Turn(*this, key);
    line->second.takers.push_back(&waiter);
  }
  const absl::Status waited = waits_.Wait(waiter.event, cancellation).status();
  if (waited.ok()) return Turn(*this, key);
  bool has_turn = false;
  {
    absl::MutexLock lock(&mutex_);
    has_turn = waiter.has_turn;
    if (!has_turn) Remove(lines_.find(key)->second.takers, waiter);
  }
  if (has_turn) Release(key);
  return waited;
}

void PlanTurns::Release(const std::string& key) {
  absl::MutexLock lock(&mutex_);
  const auto line = lines_.find(key);
  if (line->second.takers.empty()) {
    for (Waiter* const passer : line->second.passers) passer->event.Set();
    lines_.erase(line);
    return;
  }
  Waiter* const next = line->second.takers.front();
  line->second.takers.pop_front();
  next->has_turn = true;
  next->event.Set();
}

}  // namespace toolgate::services::execution
