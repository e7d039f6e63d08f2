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
  bool accepted = false;
  {
    absl::MutexLock lock(&mutex_);
    ended.swap(ended_);
    accepted = Accept(task);
  }
  Join(ended);
  return accepted;
}

bool WorkerPool::Accept(Task& task) {
  if (stopping_) return false;
  if (!idle_.empty()) {
    Worker* const woken = idle_.back();
    idle_.pop_back();
    woken->idle = false;
    woken->task = std::move(task);
    // Under the lock: afterwards the worker may have run the task and be gone.
    woken->wake.Signal();
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
  while (true) {
    Task task;
    {
      absl::MutexLock lock(&mutex_);
      task = NextTask(self);
      if (!task) {
        Retire(self);
        return;
      }
    }
    task();
  }
}

WorkerPool::Task WorkerPool::NextTask(Worker& self) {
  if (self.task) return std::exchange(self.task, nullptr);
  if (!queue_.empty()) {
    Task task = std::move(queue_.front());
    queue_.pop_front();
    return task;
  }
  if (stopping_) return nullptr;
  self.idle = true;
  idle_.push_back(&self);
  while (self.idle && !stopping_) {
    if (self.wake.WaitWithTimeout(&mutex_, options_.idle_timeout)) break;
  }
  if (self.idle) {
    self.idle = false;
    idle_.erase(std::find(idle_.begin(), idle_.end(), &self));
  }
  return std::exchange(self.task, nullptr);
}

void WorkerPool::Retire(Worker& self) {
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
    for (Worker* worker : idle_) worker->wake.Signal();
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
