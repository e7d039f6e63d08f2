// Hands something over once, to a thread or to a fiber that waits for it.
#ifndef TOOLGATE_COMMON_FIBERS_BATON_H_
#define TOOLGATE_COMMON_FIBERS_BATON_H_

#include <atomic>

#include "common/fibers/fiber.h"
#include "common/fibers/semaphore.h"

namespace toolgate::fibers {

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
    void* const waiter = state_.exchange(posted(), std::memory_order_acq_rel);
    if (waiter == nullptr) return;
    if (waiter == thread()) return semaphore_.Post();
    auto& fiber = *static_cast<Fiber*>(waiter);
    fiber.scheduler().Resume(fiber);
  }

  void Wait() {
    if (state_.load(std::memory_order_acquire) == posted()) return;
    if (Fiber::Current() != nullptr) {
      Fiber::Wait([this](Fiber& fiber) { return Enter(&fiber); });
    } else if (Enter(thread())) {
      semaphore_.Wait();
    }
  }

  // The same for what may take long, and for what holds nothing that others wait for: a fiber steps aside, so that
  // other work may begin in its place.
  void WaitAside() {
    if (Fiber::Current() == nullptr) return Wait();
    if (state_.load(std::memory_order_acquire) == posted()) return;
    Fiber::Wait([this](Fiber& fiber) {
      fiber.scheduler().StepAside(fiber);
      if (Enter(&fiber)) return true;
      fiber.scheduler().StepBack(fiber);
      return false;
    });
  }

 private:
  // Marks, told from the address of a fiber that waits.
  void* posted() { return this; }
  void* thread() { return &semaphore_; }

  // False when the baton was posted already.
  bool Enter(void* waiter) {
    void* expected = nullptr;
    return state_.compare_exchange_strong(expected, waiter, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  // nullptr, a mark, or the fiber that waits.
  std::atomic<void*> state_{nullptr};
  Semaphore semaphore_;
};

}  // namespace toolgate::fibers

#endif  // TOOLGATE_COMMON_FIBERS_BATON_H_
