// Threads for work that may block, so that gRPC's own threads never do.
#ifndef TOOLGATE_SERVICES_RPC_WORKER_POOL_H_
#define TOOLGATE_SERVICES_RPC_WORKER_POOL_H_

#include <pthread.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/semaphore.h"

namespace toolgate::services::rpc {

// Runs tasks on threads that it starts when no idle one is left and ends again after they have been idle for a while.
// The thread that went idle last works next, so that the others can end. Thread-safe.
class WorkerPool {
 public:
  // A lambda that captures no more than two pointers costs no allocation.
  using Task = absl::AnyInvocable<void()>;

  struct Options {
    int max_threads = 128;
    // Tasks that wait while all threads are busy.
    size_t max_queued = 1024;
    absl::Duration idle_timeout = absl::Seconds(10);
    // Of each thread, in bytes; pages that are never touched cost only address space.
    size_t stack_bytes = size_t{512} << 10;
  };

  explicit WorkerPool(Options options);
  // Stop without a bound on time: runs what was submitted and waits for it.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `task` on one of the threads, later or at once; wakes at most one. False, and the task is dropped, when the
  // queue is full, when the pool stops, or when the system grants no first thread. A task must not throw.
  bool Submit(Task task);

  // Refuses new tasks, runs what was submitted, and waits at most `timeout` for that. False when tasks still run: then
  // the pool must not be destroyed (the destructor would wait for them); the process should end with std::_Exit.
  bool Stop(absl::Duration timeout);

  // Threads alive, busy or idle; for metrics and tests.
  int threads() const;
  // Tasks that wait for a thread.
  size_t queued() const;

 private:
  // One thread. Idle ones form a stack; whoever pops one puts a task into it and posts its semaphore. It lives at least
  // until it was woken.
  struct Worker {
    WorkerPool* pool = nullptr;
    pthread_t thread{};
    Semaphore wake;
    Task task;          // Of the one who popped it until the post, then of the thread itself.
    bool idle = false;  // On the stack. Guarded by the pool's mutex.
  };

  static void* ThreadMain(void* worker);
  void Work(Worker& self);
  // The next task for `self`, or an empty one when the thread is to end.
  Task NextTask(Worker& self);
  // A task from the queue. Without one, `self` is idle from now on, unless the pool stops.
  Task TakeQueued(Worker& self);
  // True when `self` was idle, and no longer is: nobody will wake it.
  bool LeaveIdle(Worker& self);
  // Finds a thread or a place in the queue for it. False, with the task untouched, when there is none. `woken`: the
  // idle thread that has it, to be posted.
  bool Accept(Task& task, Worker*& woken) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool StartWorker(Task& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves `self` to where the next caller of Join finds it.
  void Retire(Worker& self);
  static void Join(const std::vector<std::unique_ptr<Worker>>& ended);

  const Options options_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Task> queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Worker>> workers_ ABSL_GUARDED_BY(mutex_);
  std::vector<Worker*> idle_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Worker>> ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_WORKER_POOL_H_
