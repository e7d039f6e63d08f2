#include "common/fibers/worker_pool.h"

#include <algorithm>
#include <new>
#include <utility>

namespace toolgate::fibers {
namespace {

// Sanitizers make frames several times larger.
#if defined(__SANITIZE_ADDRESS__) || defined(TOOLGATE_TSAN)
constexpr size_t kStackFactor = 8;
#else
constexpr size_t kStackFactor = 1;
#endif

// Of a thread, which does no more on its own stack than going from fiber to fiber.
constexpr size_t kThreadStackBytes = size_t{128} << 10;

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
    const auto can_begin = static_cast<size_t>(std::max(options_.max_running - running_, 0));
    accepted = !stopping_ && queue_.size() < options_.max_queued + can_begin && (running_ > 0 || HaveFreeFiber());
    if (accepted) {
      queue_.push_back(std::move(task));
      woken = WakeOne();
      if (workers_.empty()) {
        task = std::move(queue_.back());  // Dropped without the lock.
        queue_.pop_back();
        accepted = false;
      }
    }
  }
  if (woken != nullptr) woken->wake.Post();
  Join(ended);
  return accepted;
}

void WorkerPool::Resume(Fiber& fiber) {
  Worker* woken = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    (fiber.aside ? returning_ : ready_).push_back(&fiber);
    woken = WakeOne();
  }
  if (woken != nullptr) woken->wake.Post();
}

// Nobody is woken for the place that comes free: the thread that the fiber has left looks for work next.
void WorkerPool::StepAside(Fiber& fiber) {
  absl::MutexLock lock(&mutex_);
  fiber.aside = true;
  --running_;
  ++aside_;
}

// Perhaps beyond max_running, for the fiber has its thread already.
void WorkerPool::StepBack(Fiber& fiber) {
  absl::MutexLock lock(&mutex_);
  fiber.aside = false;
  ++running_;
  --aside_;
}

WorkerPool::Worker* WorkerPool::WakeOne() {
  if (waking_ || !HasRunnable()) return nullptr;
  if (idle_.empty()) {
    waking_ = static_cast<int>(workers_.size()) < std::max(options_.max_running, running_) && StartWorker();
    return nullptr;
  }
  Worker* const woken = idle_.back();
  idle_.pop_back();
  woken->idle = false;
  woken->on_its_way = waking_ = true;
  return woken;
}

bool WorkerPool::HasRunnable() const {
  if (!ready_.empty()) return true;
  return running_ < options_.max_running && (!returning_.empty() || !queue_.empty());
}

Fiber* WorkerPool::TakeRunnable() {
  if (!HasRunnable()) return nullptr;
  if (!ready_.empty()) {
    Fiber* const fiber = ready_.front();
    ready_.pop_front();
    return fiber;
  }
  if (!returning_.empty()) {
    Fiber* const fiber = returning_.front();
    returning_.pop_front();
    fiber->aside = false;
    ++running_;
    --aside_;
    return fiber;
  }
  // Without one, other tasks run, and the first of them to end leaves its own.
  if (!HaveFreeFiber()) return nullptr;
  Fiber* const fiber = free_fibers_.back().release();
  free_fibers_.pop_back();
  fiber->Take(std::move(queue_.front()));
  queue_.pop_front();
  ++running_;
  return fiber;
}

bool WorkerPool::HaveFreeFiber() {
  if (!free_fibers_.empty()) return true;
  try {
    FiberScheduler& scheduler = *this;
    free_fibers_.push_back(std::make_unique<Fiber>(scheduler, options_.stack_bytes * kStackFactor));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

bool WorkerPool::StartWorker() {
  auto worker = std::make_unique<Worker>();
  worker->pool = this;
  worker->on_its_way = true;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kThreadStackBytes * kStackFactor);
  // The thread's first act is to take the mutex, which is held here, so it sees the worker complete.
  const bool started = pthread_create(&worker->thread, &attributes, &ThreadMain, worker.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (started) workers_.push_back(std::move(worker));
  return started;
}

void* WorkerPool::ThreadMain(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  pthread_setname_np(pthread_self(), "toolgate-worker");
  self.pool->Work(self);
  return nullptr;
}

void WorkerPool::Work(Worker& self) {
  Fiber* ended = nullptr;
  while (Fiber* const fiber = Next(self, ended)) ended = fiber->Run() ? fiber : nullptr;
}

Fiber* WorkerPool::Next(Worker& self, Fiber* ended) {
  while (true) {
    bool stop = false;
    if (Fiber* const fiber = TryNext(self, std::exchange(ended, nullptr), stop)) return fiber;
    if (stop) return nullptr;
    while (!self.wake.WaitFor(options_.idle_timeout)) {
      if (RetireIfIdle(self)) return nullptr;
    }
  }
}

Fiber* WorkerPool::TryNext(Worker& self, Fiber* ended, bool& stop) {
  Fiber* fiber = nullptr;
  Worker* woken = nullptr;
  std::vector<std::unique_ptr<Fiber>> unused;  // Dropped without the lock.
  {
    absl::MutexLock lock(&mutex_);
    if (std::exchange(self.on_its_way, false)) waking_ = false;
    if (ended != nullptr) {
      free_fibers_.emplace_back(ended);
      --running_;
    }
    fiber = TakeRunnable();
    if (fiber != nullptr) {
      woken = WakeOne();
    } else if (MustEnd()) {
      stop = true;
      unused = Retire(self);
      WakeAllIdle();
    } else {
      self.idle = true;
      idle_.push_back(&self);
    }
  }
  if (woken != nullptr) woken->wake.Post();
  return fiber;
}

bool WorkerPool::RetireIfIdle(Worker& self) {
  std::vector<std::unique_ptr<Fiber>> unused;  // Dropped without the lock.
  absl::MutexLock lock(&mutex_);
  if (!self.idle) return false;  // Popped at the last moment; the post is on its way.
  // Somebody must be there for tasks that wait, since the system may grant no other thread.
  if (running_ + aside_ > 0 && idle_.size() == 1) return false;
  self.idle = false;
  idle_.erase(std::find(idle_.begin(), idle_.end(), &self));
  unused = Retire(self);
  return true;
}

std::vector<std::unique_ptr<Fiber>> WorkerPool::Retire(Worker& self) {
  const auto own =
      std::find_if(workers_.begin(), workers_.end(), [&](const auto& worker) { return worker.get() == &self; });
  ended_.push_back(std::move(*own));
  workers_.erase(own);
  std::vector<std::unique_ptr<Fiber>> unused;
  for (; free_fibers_.size() > workers_.size(); free_fibers_.pop_back()) {
    unused.push_back(std::move(free_fibers_.back()));
  }
  return unused;
}

void WorkerPool::Join(const std::vector<std::unique_ptr<Worker>>& ended) {
  for (const auto& worker : ended) pthread_join(worker->thread, nullptr);
}

bool WorkerPool::MustEnd() const { return stopping_ && running_ == 0 && aside_ == 0 && queue_.empty(); }

void WorkerPool::WakeAllIdle() {
  for (Worker* worker : std::exchange(idle_, {})) {
    worker->idle = false;
    worker->wake.Post();
  }
}

bool WorkerPool::Stop(absl::Duration timeout) {
  std::vector<std::unique_ptr<Worker>> ended;
  bool all_ended = false;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    if (MustEnd()) WakeAllIdle();
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

int WorkerPool::running() const {
  absl::MutexLock lock(&mutex_);
  return running_;
}

}  // namespace toolgate::fibers
