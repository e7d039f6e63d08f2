// Stops calls to failing tools, and tests carefully when they work again.
#ifndef TOOLGATE_COORDINATION_BREAKERS_CIRCUIT_BREAKER_H_
#define TOOLGATE_COORDINATION_BREAKERS_CIRCUIT_BREAKER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "coordination/breakers/rolling_counter.h"

namespace toolgate::coordination::breakers {

// Within the ranges of config.v1.CircuitBreaker.
struct BreakerSettings {
  absl::Duration window;         // Span over which calls are counted.
  int64_t min_calls = 0;         // Minimum number of calls in the span for the ratio.
  double failure_ratio = 0;      // Opens at this share of failures.
  int consecutive_failures = 0;  // Opens after this many in a row.
  absl::Duration open_duration;  // Time for which it stays open before probes.
  int half_open_probes = 0;      // Maximum number of concurrent probes; that many successes close it.

  friend bool operator==(const BreakerSettings& a, const BreakerSettings& b) = default;
};

enum class BreakerState { kClosed, kOpen, kHalfOpen };

// "closed", "open", "half_open".
std::string_view BreakerStateName(BreakerState state);

struct BreakerSnapshot {
  std::string name;
  BreakerState state = BreakerState::kClosed;
  int64_t failures = 0;  // In the current window.
  int64_t calls = 0;
  std::optional<absl::Time> retry_at;  // If open: time from which a probe may pass.
};

// Closed: calls pass, and failures are counted. Open: calls are refused until open_duration is over. Half-open: a few
// probes pass; enough successes close it, one failure opens it again.
//
// Thread-safe. While closed, a call costs two atomic reads, one atomic addition and one reading of the clock, and takes
// no lock. State is local to this process: a component that shares it among replicas listens to `on_change`, and calls
// Open and Reset for the changes of the others.
class CircuitBreaker {
 public:
  // Called after each change of state, without any lock held; two quick changes may be reported in either order.
  using OnChange = std::function<void(std::string_view name, BreakerState state)>;

  // The right to make one call, and the duty to report its outcome. If neither Succeed nor Fail was called before its
  // destruction, nothing is counted, and a probe's place is free again.
  class Permit {
   public:
    Permit() = default;
    Permit(Permit&& other) noexcept;
    Permit& operator=(Permit&& other) noexcept;
    ~Permit() { Finish(Verdict::kNone); }

    // False: refused.
    explicit operator bool() const { return breaker_ != nullptr; }
    void Succeed() { Finish(Verdict::kSuccess); }
    void Fail() { Finish(Verdict::kFailure); }

   private:
    friend class CircuitBreaker;
    enum class Verdict { kNone, kSuccess, kFailure };
    Permit(CircuitBreaker& breaker, uint64_t word) : breaker_(&breaker), word_(word) {}
    void Finish(Verdict verdict);

    CircuitBreaker* breaker_ = nullptr;
    uint64_t word_ = 0;  // State and generation in which the call began.
  };
  struct Admission {
    Permit permit;
    absl::Duration retry_after = absl::ZeroDuration();  // When refused.
  };

  // `settings` must be valid. `clock` must outlive the breaker.
  CircuitBreaker(std::string name, const BreakerSettings& settings, const Clock& clock, OnChange on_change = nullptr);
  CircuitBreaker(const CircuitBreaker&) = delete;
  CircuitBreaker& operator=(const CircuitBreaker&) = delete;

  Admission Admit() {
    const uint64_t word = word_.load(std::memory_order_acquire);
    if (StateOf(word) == BreakerState::kClosed) return {Permit(*this, word)};
    return AdmitSlowly();
  }

  // Opens for `duration` from now, whatever the state.
  void Open(absl::Duration duration);
  // Closes, and resets the counters.
  void Reset();

  const std::string& name() const { return name_; }
  const BreakerSettings& settings() const { return settings_; }
  BreakerState state() const { return StateOf(word_.load(std::memory_order_acquire)); }
  // Whether a call ever ended with a verdict, or the state ever changed.
  bool used() const { return used_.load(std::memory_order_relaxed); }
  BreakerSnapshot Snapshot() const;

 private:
  using Verdict = Permit::Verdict;

  // The low two bits are the state; the rest counts the changes of state, so that a call which began before a change is
  // recognised when it ends after it, and is ignored.
  static BreakerState StateOf(uint64_t word) { return static_cast<BreakerState>(word & 3); }

  Admission AdmitSlowly();
  void FinishClosed(uint64_t word, bool failed);
  void FinishProbe(uint64_t word, Verdict verdict);
  bool RatioReached(absl::Duration now) const;
  void SetState(BreakerState state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Tell(BreakerState state) const;

  const std::string name_;
  const BreakerSettings settings_;
  const Clock& clock_;
  const OnChange on_change_;

  std::atomic<uint64_t> word_{static_cast<uint64_t>(BreakerState::kClosed)};
  std::atomic<int> failures_in_a_row_{0};
  std::atomic<bool> used_{false};
  RollingCounter calls_;
  RollingCounter failures_;

  mutable absl::Mutex mutex_;  // Of every change of state, and of the probes.
  absl::Duration retry_at_ ABSL_GUARDED_BY(mutex_) = absl::ZeroDuration();  // A reading of Clock::Monotonic.
  int probes_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;                        // Also those of an earlier half-open state.
  int probes_succeeded_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace toolgate::coordination::breakers

#endif  // TOOLGATE_COORDINATION_BREAKERS_CIRCUIT_BREAKER_H_
