// Hands something over once, to a thread or to a fiber that waits for it.
#ifndef TOOLGATE_COMMON_BATON_H_
#define TOOLGATE_COMMON_BATON_H_

#include <atomic>
#include <cstdint>

#include "common/fiber.h"
#include "common/semaphore.h"

namespace toolgate {

// The one Post ends the one Wait, whichever comes first. What was written before the Post is seen after the Wait. A
// fiber that waits leaves its thread to others; a thread that runs none blocks. The waiter may destroy the baton as
// soon as Wait returns, even while Post has not yet done so. Thread-safe.
class Baton {
 public:
  Baton() = default;
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;

  void Post() {
    // The last look at this object, unless a thread waits in it.
    const uintptr_t waiter = state_.exchange(kPosted, std::memory_order_acq_rel);
    if (waiter == kNobody) return;
    if (waiter == kThread) return semaphore_.Post();
    Fiber& fiber = *reinterpret_cast<Fiber*>(waiter);
    fiber.scheduler().Resume(fiber);
  }

  void Wait() {
    if (state_.load(std::memory_order_acquire) == kPosted) return;
    if (Fiber::Current() != nullptr) {
      Fiber::Wait([this](Fiber& fiber) { return Enter(reinterpret_cast<uintptr_t>(&fiber)); });
    } else if (Enter(kThread)) {
      semaphore_.Wait();
    }
  }

 private:
  // Any other value is the address of the fiber that waits.
  static constexpr uintptr_t kNobody = 0;
  static constexpr uintptr_t kThread = 1;
  static constexpr uintptr_t kPosted = 2;

  // False when the baton was posted already.
  bool Enter(uintptr_t waiter) {
    uintptr_t expected = kNobody;
    return state_.compare_exchange_strong(expected, waiter, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  std::atomic<uintptr_t> state_{kNobody};
  Semaphore semaphore_;
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_BATON_H_
