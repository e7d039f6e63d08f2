#include "services/rpc/worker_pool.h"

#include <algorithm>
#include <utility>

namespace toolgate::services::rpc {
namespace {

// Sanitizers make frames several times larger.
#if defined(__SANITIZE_ADDRESS__) || defined(TOOLGATE_TSAN)
constexpr size_t kStackFactor = 8;
#else
constexpr size_t kStackFactor = 1;
#endif

}  // namespace

WorkerPool::WorkerPool(Options options) : options_(options) {}

WorkerPool::~WorkerPool() { Stop(absl::InfiniteDuration()); }

bool WorkerPool::Submit(Task task) {
  std::vector<std::unique_ptr<Worker>> ended;
  Worker* woken = nullptr;
  bool accepted = false;
  {
    absl::MutexLock lock(&mutex_);
    ended.swap(ended_);
    accepted = Accept(task, woken);
  }
  if (woken != nullptr) woken->wake.Post();
  Join(ended);
  return accepted;
}

bool WorkerPool::Accept(Task& task, Worker*& woken) {
  if (stopping_) return false;
  if (!idle_.empty()) {
    woken = idle_.back();
    idle_.pop_back();
    woken->idle = false;
    woken->task = std::move(task);
    return true;
  }
  if (static_cast<int>(workers_.size()) < options_.max_threads && StartWorker(task)) return true;
  if (workers_.empty() || queue_.size() >= options_.max_queued) return false;
  queue_.push_back(std::move(task));
  return true;
}

bool WorkerPool::StartWorker(Task& task) {
  auto worker = std::make_unique<Worker>();
  worker->pool = this;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, options_.stack_bytes * kStackFactor);
  worker->task = std::move(task);
  // The thread's first act is to take the mutex, which is held here, so it sees the worker complete.
  const bool started = pthread_create(&worker->thread, &attributes, &ThreadMain, worker.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) {
    task = std::move(worker->task);
    return false;
  }
  workers_.push_back(std::move(worker));
  return true;
}

void* WorkerPool::ThreadMain(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  pthread_setname_np(pthread_self(), "toolgate-worker");
  self.pool->Work(self);
  return nullptr;
}

void WorkerPool::Work(Worker& self) {
  {
    // Until StartWorker is done with `self`.
    absl::MutexLock lock(&mutex_);
  }
  while (Task task = NextTask(self)) task();
  Retire(self);
}

WorkerPool::Task WorkerPool::NextTask(Worker& self) {
  if (self.task) return std::exchange(self.task, nullptr);  // The one it was started for.
  if (Task task = TakeQueued(self)) return task;
  const bool woken = self.wake.WaitFor(options_.idle_timeout);
  if (!woken) {
    if (LeaveIdle(self)) return nullptr;
    self.wake.Wait();  // Popped at the last moment.
  }
  return std::exchange(self.task, nullptr);
}

WorkerPool::Task WorkerPool::TakeQueued(Worker& self) {
  absl::MutexLock lock(&mutex_);
  if (!queue_.empty()) {
    Task task = std::move(queue_.front());
    queue_.pop_front();
    return task;
  }
  if (stopping_) {
    self.wake.Post();  // With no task: the end.
    return nullptr;
  }
  self.idle = true;
  idle_.push_back(&self);
  return nullptr;
}

bool WorkerPool::LeaveIdle(Worker& self) {
  absl::MutexLock lock(&mutex_);
  if (!self.idle) return false;
  self.idle = false;
  idle_.erase(std::find(idle_.begin(), idle_.end(), &self));
  return true;
}

void WorkerPool::Retire(Worker& self) {
  absl::MutexLock lock(&mutex_);
  const auto own =
      std::find_if(workers_.begin(), workers_.end(), [&](const auto& worker) { return worker.get() == &self; });
  ended_.push_back(std::move(*own));
  workers_.erase(own);
}

void WorkerPool::Join(const std::vector<std::unique_ptr<Worker>>& ended) {
  for (const auto& worker : ended) pthread_join(worker->thread, nullptr);
}

bool WorkerPool::Stop(absl::Duration timeout) {
  std::vector<std::unique_ptr<Worker>> ended;
  bool all_ended = false;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    for (Worker* worker : std::exchange(idle_, {})) {
      worker->idle = false;
      worker->wake.Post();
    }
    const auto none_left = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return workers_.empty(); };
    all_ended = mutex_.AwaitWithTimeout(absl::Condition(&none_left), timeout);
    ended.swap(ended_);
  }
  Join(ended);
  return all_ended;
}

int WorkerPool::threads() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(workers_.size());
}

size_t WorkerPool::queued() const {
  absl::MutexLock lock(&mutex_);
  return queue_.size();
}

}  // namespace toolgate::services::rpc
