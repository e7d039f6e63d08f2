#include "coordination/breakers/circuit_breaker.h"

#include <algorithm>
#include <utility>

namespace toolgate::coordination::breakers {
namespace {

// Longest wait suggested to a caller while all probes are in flight: their end is unknown, but near.
constexpr absl::Duration kProbeWait = absl::Seconds(1);

}  // namespace

std::string_view BreakerStateName(BreakerState state) {
  switch (state) {
    case BreakerState::kClosed:
      return "closed";
    case BreakerState::kOpen:
      return "open";
    case BreakerState::kHalfOpen:
      return "half_open";
  }
  return "closed";
}

CircuitBreaker::Permit::Permit(Permit&& other) noexcept
    : breaker_(std::exchange(other.breaker_, nullptr)), word_(other.word_) {}

CircuitBreaker::Permit& CircuitBreaker::Permit::operator=(Permit&& other) noexcept {
  if (this == &other) return *this;
  Finish(Verdict::kNone);
  breaker_ = std::exchange(other.breaker_, nullptr);
  word_ = other.word_;
  return *this;
}

void CircuitBreaker::Permit::Finish(Verdict verdict) {
  CircuitBreaker* breaker = std::exchange(breaker_, nullptr);
  if (breaker == nullptr) return;
  if (StateOf(word_) == BreakerState::kHalfOpen) {
    breaker->FinishProbe(word_, verdict);
  } else if (verdict != Verdict::kNone) {
    breaker->FinishClosed(word_, verdict == Verdict::kFailure);
  }
}

CircuitBreaker::CircuitBreaker(std::string name, const BreakerSettings& settings, const Clock& clock,
                               OnChange on_change)
    : name_(std::move(name)),
      settings_(settings),
      clock_(clock),
      on_change_(std::move(on_change)),
      calls_(settings.window),
      failures_(settings.window) {}

CircuitBreaker::Admission CircuitBreaker::AdmitSlowly() {
  const absl::Duration now = clock_.Monotonic();
  bool turned_half_open = false;
  Admission admission;
  {
    absl::MutexLock lock(&mutex_);
    if (state() == BreakerState::kOpen) {
      if (now < retry_at_) return {Permit(), retry_at_ - now};
      SetState(BreakerState::kHalfOpen);
      turned_half_open = true;
    }
    const uint64_t word = word_.load(std::memory_order_relaxed);
    if (StateOf(word) == BreakerState::kClosed) return {Permit(*this, word)};
    if (probes_in_flight_ >= settings_.half_open_probes) {
      return {Permit(), std::min(kProbeWait, settings_.open_duration)};
    }
    ++probes_in_flight_;
    admission.permit = Permit(*this, word);
  }
  if (turned_half_open) Tell(BreakerState::kHalfOpen);
  return admission;
}

void CircuitBreaker::FinishClosed(uint64_t word, bool failed) {
  if (word_.load(std::memory_order_acquire) != word) return;
  if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
  const absl::Duration now = clock_.Monotonic();
  calls_.Add(now);
  if (!failed) {
    if (failures_in_a_row_.load(std::memory_order_relaxed) != 0) failures_in_a_row_.store(0, std::memory_order_relaxed);
    return;
  }
  failures_.Add(now);
  const int in_a_row = failures_in_a_row_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (in_a_row < settings_.consecutive_failures && !RatioReached(now)) return;
  {
    absl::MutexLock lock(&mutex_);
    if (word_.load(std::memory_order_relaxed) != word) return;  // Another failure came first.
    retry_at_ = now + settings_.open_duration;
    SetState(BreakerState::kOpen);
  }
  Tell(BreakerState::kOpen);
}

bool CircuitBreaker::RatioReached(absl::Duration now) const {
  const int64_t calls = calls_.Count(now);
  return calls >= settings_.min_calls &&
         static_cast<double>(failures_.Count(now)) >= settings_.failure_ratio * static_cast<double>(calls);
}

void CircuitBreaker::FinishProbe(uint64_t word, Verdict verdict) {
  BreakerState next = BreakerState::kHalfOpen;
  {
    absl::MutexLock lock(&mutex_);
    --probes_in_flight_;
    if (verdict == Verdict::kNone) return;
    if (word_.load(std::memory_order_relaxed) != word) return;  // The state has changed since; this probe is ignored.
    const absl::Duration now = clock_.Monotonic();
    if (verdict == Verdict::kFailure) {
      next = BreakerState::kOpen;
      retry_at_ = now + settings_.open_duration;
    } else if (++probes_succeeded_ >= settings_.half_open_probes) {
      next = BreakerState::kClosed;
    }
    if (next == BreakerState::kHalfOpen) return;
    SetState(next);
  }
  Tell(next);
}

void CircuitBreaker::Open(absl::Duration duration) {
  {
    absl::MutexLock lock(&mutex_);
    retry_at_ = clock_.Monotonic() + duration;
    SetState(BreakerState::kOpen);
  }
  Tell(BreakerState::kOpen);
}

void CircuitBreaker::Reset() {
  {
    absl::MutexLock lock(&mutex_);
    SetState(BreakerState::kClosed);
  }
  Tell(BreakerState::kClosed);
}

void CircuitBreaker::SetState(BreakerState state) {
  const uint64_t generation = (word_.load(std::memory_order_relaxed) >> 2) + 1;
  probes_succeeded_ = 0;
  if (state == BreakerState::kClosed) {
    calls_.Clear();
    failures_.Clear();
    failures_in_a_row_.store(0, std::memory_order_relaxed);
  }
  used_.store(true, std::memory_order_relaxed);
  word_.store((generation << 2) | static_cast<uint64_t>(state), std::memory_order_release);
}

void CircuitBreaker::Tell(BreakerState state) const {
  if (on_change_) on_change_(name_, state);
}

BreakerSnapshot CircuitBreaker::Snapshot() const {
  const absl::Duration now = clock_.Monotonic();
  absl::MutexLock lock(&mutex_);
  BreakerSnapshot snapshot;
  snapshot.name = name_;
  snapshot.state = state();
  snapshot.failures = failures_.Count(now);
  snapshot.calls = calls_.Count(now);
  if (snapshot.state == BreakerState::kOpen) {
    snapshot.retry_at = clock_.Now() + std::max(retry_at_ - now, absl::ZeroDuration());
  }
  return snapshot;
}

}  // namespace toolgate::coordination::breakers
