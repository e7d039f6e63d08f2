// Threads for work that may block, so that gRPC's own threads never do.
#ifndef TOOLGATE_COMMON_FIBERS_WORKER_POOL_H_
#define TOOLGATE_COMMON_FIBERS_WORKER_POOL_H_

#include <pthread.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/fibers/fiber.h"
#include "common/fibers/semaphore.h"

namespace toolgate::fibers {

// Runs tasks, each on a fiber. A task that waits for a Baton (a mutation for its commit) leaves its thread to others;
// one that steps aside (a call that waits for a bulkhead's place) leaves its place among those that run as well; one
// that blocks keeps both, and further threads are started as long as there are tasks for them. So there are never more
// threads than tasks that run, and mostly far fewer. The thread that went idle last works next, so that the others can
// end. Thread-safe.
class WorkerPool final : private FiberScheduler {
 public:
  // A lambda that captures no more than two pointers costs no allocation.
  using Task = Fiber::Work;

  struct Options {
    // Tasks that have begun and not ended, but for those that have stepped aside, whose number is for others to bound.
    int max_running;
    // Tasks that wait to begin.
    size_t max_queued;
    absl::Duration idle_timeout = absl::Seconds(10);
    // Of each task, in bytes; pages that are never touched cost only address space.
    size_t stack_bytes = size_t{1} << 20;
  };

  explicit WorkerPool(Options options);
  // Stop without a bound on time: runs what was submitted and waits for it.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `task` on one of the threads, later or at once; wakes at most one. False, and the task is dropped, when the
  // queue is full, when the pool stops, or when the system grants no thread or no stack to begin with. A task must not
  // throw.
  bool Submit(Task task);

  // Refuses new tasks, runs what was submitted, and waits at most `timeout` for that. False when tasks still run: then
  // the pool must not be destroyed (the destructor would wait for them); the process should end with std::_Exit.
  bool Stop(absl::Duration timeout);

  // Threads alive, busy or idle; for metrics and tests.
  int threads() const;
  // Tasks that have not begun.
  size_t queued() const;
  // Tasks that count against max_running.
  int running() const;
  int max_running() const { return options_.max_running; }

 private:
  // One thread. Idle ones form a stack; whoever pops one posts its semaphore. It lives at least until it was woken. The
  // flags are guarded by the pool's mutex.
  struct Worker {
    WorkerPool* pool = nullptr;
    pthread_t thread{};
    Semaphore wake;
    bool idle = false;        // On the stack.
    bool on_its_way = false;  // Started or woken to find work, and not there yet.
  };

  void Resume(Fiber& fiber) override;
  void StepAside(Fiber& fiber) override;
  void StepBack(Fiber& fiber) override;

  static void* ThreadMain(void* worker);
  void Work(Worker& self);
  // The next fiber to run; waits for it. nullptr when the thread has retired and is to end. `ended`, when there is one,
  // is the fiber whose task this thread has just brought to its end.
  Fiber* Next(Worker& self, Fiber* ended);
  // As Next, but nullptr when nothing can run now: then `self` is idle from now on, or has retired and `stop` is set.
  Fiber* TryNext(Worker& self, Fiber* ended, bool& stop);
  // True when `self`, idle for long enough, is to end and is no worker any more.
  bool RetireIfIdle(Worker& self);
  // The pool wakes one thread at a time, which wakes the next one when it finds more work than its own. Answers an idle
  // thread for the caller to post, when something can run and nobody is on the way to it; or starts one.
  Worker* WakeOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasRunnable() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Fiber* TakeRunnable() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // There is one, or the system grants one more stack.
  bool HaveFreeFiber() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool StartWorker() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MustEnd() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WakeAllIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves `self`, which is not idle and takes nothing up any more, to where the next caller of Join finds it: in the
  // step that decides so, since a task that comes later counts on every worker there is. Answers the fibers that are
  // too many now.
  std::vector<std::unique_ptr<Fiber>> Retire(Worker& self) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Join(const std::vector<std::unique_ptr<Worker>>& ended);

  const Options options_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Task> queue_ ABSL_GUARDED_BY(mutex_);
  std::deque<Fiber*> ready_ ABSL_GUARDED_BY(mutex_);      // They waited and may go on.
  std::deque<Fiber*> returning_ ABSL_GUARDED_BY(mutex_);  // The same, of those that stepped aside: they need a place.
  int running_ ABSL_GUARDED_BY(mutex_) = 0;  // Tasks that have begun and not ended, but for those that stepped aside.
  int aside_ ABSL_GUARDED_BY(mutex_) = 0;    // Those, until they run again.
  std::vector<std::unique_ptr<Fiber>> free_fibers_ ABSL_GUARDED_BY(mutex_);
  bool waking_ ABSL_GUARDED_BY(mutex_) = false;  // A thread is on its way.
  std::vector<std::unique_ptr<Worker>> workers_ ABSL_GUARDED_BY(mutex_);
  std::vector<Worker*> idle_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Worker>> ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::fibers

#endif  // TOOLGATE_COMMON_FIBERS_WORKER_POOL_H_
