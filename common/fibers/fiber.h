// Work that can wait without keeping a thread: it has a stack of its own, and the thread that ran it takes up other
// work meanwhile.
#ifndef TOOLGATE_COMMON_FIBERS_FIBER_H_
#define TOOLGATE_COMMON_FIBERS_FIBER_H_

#include <cstddef>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"

namespace toolgate::fibers {

class Fiber;

// Runs fibers on threads.
class FiberScheduler {
 public:
  // Has some thread call Run on `fiber`, which waited and may go on. Called from any thread, once a wait.
  virtual void Resume(Fiber& fiber) = 0;

  // `fiber`, which has left its thread, waits for something that may take long: other work may begin in its place until
  // it is resumed. A scheduler without a bound on running fibers has nothing to do.
  virtual void StepAside(Fiber& /*fiber*/) {}
  // The same fiber goes on at once after all.
  virtual void StepBack(Fiber& /*fiber*/) {}

 protected:
  ~FiberScheduler() = default;
};

// Runs one piece of work after another on the same stack, of which only the pages that were ever touched take memory; a
// page that must not be touched stands below it. Work may begin on one thread and go on on another, so:
//   - it must not wait (Baton::Wait) while it holds a lock, nor within a catch clause;
//   - what it keeps in thread_local variables does not outlive a wait, and a function that waits must not ask for its
//     thread's id before and after: compilers take that, like the place of errno, for a constant of the function.
// An exception that leaves the work ends the process. Used by one thread at a time.
class Fiber {
 public:
  using Work = absl::AnyInvocable<void()>;

  // `scheduler` must outlive the fiber. Throws std::bad_alloc when the system grants no stack.
  Fiber(FiberScheduler& scheduler, size_t stack_bytes);
  // Not while work waits.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next piece of work; the last one must have ended.
  void Take(Work work);
  // Goes on with the work until it ends (true) or waits (false). In the latter case the fiber may already run
  // elsewhere.
  bool Run();

  FiberScheduler& scheduler() const { return scheduler_; }

  // For the scheduler: whether the fiber has stepped aside. Guarded by whatever guards its own state.
  bool aside = false;

  // The fiber whose work the calling thread runs; nullptr when it runs none.
  static Fiber* Current();
  // Called by the work: leaves the thread. `park`, called when the fiber has left it, makes sure that somebody will
  // resume the fiber and must touch nothing after that; it answers false when there is nothing to wait for any more,
  // and then the work goes on at once.
  static void Wait(absl::FunctionRef<bool(Fiber&)> park);

 private:
  struct Context;

  void Enter();
  void Leave();

  FiberScheduler& scheduler_;
  Work work_;
  bool ended_ = true;                                      // The last piece of work has.
  bool closing_ = false;                                   // No more will come.
  const absl::FunctionRef<bool(Fiber&)>* park_ = nullptr;  // Of a wait that has just begun.
  const std::unique_ptr<Context> context_;
};

}  // namespace toolgate::fibers

#endif  // TOOLGATE_COMMON_FIBERS_FIBER_H_
