#include "common/fibers/wait_timer.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>

#include "common/brief_section.h"
#include "common/status_macros.h"

namespace toolgate::fibers {
namespace {

// At 20 ms a round, each of 2,000 calls that wait is asked every 160 ms, for less than a hundredth of a processor.
constexpr size_t kAskedEachRound = 256;

}  // namespace

// The place of one wait among all of them.
class WaitTimer::Registration {
 public:
  Registration(WaitTimer& timer, Entry& entry, absl::Duration due) : timer_(timer), entry_(entry), due_(due) {
    {
      absl::MutexLock lock(&timer_.mutex_);
      timer_.by_deadline_.emplace(due_, &entry_);
      if (!timer_.thread_.joinable()) timer_.thread_ = std::thread([&timer = timer_] { timer.Watch(); });
    }
    entry_.cancellation.WakeOnCancel(&entry_.event);
  }
  ~Registration() {
    entry_.cancellation.WakeOnCancel(nullptr);
    absl::MutexLock lock(&timer_.mutex_);
    timer_.by_deadline_.erase({due_, &entry_});
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  WaitTimer& timer_;
  Entry& entry_;
  const absl::Duration due_;
};

WaitTimer::~WaitTimer() {
  std::thread thread;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

absl::StatusOr<bool> WaitTimer::Wait(Event& event, const Cancellation& cancellation, absl::Duration until) {
  BriefSection::Note("a wait");
  if (event.IsSet()) return true;
  Entry entry{event, cancellation};
  const Registration registration(*this, entry, std::min(until, cancellation.deadline()));
  // A wake-up alone is no reason to stop: the event, the call and the time are looked at again.
  while (!event.IsSet()) {
    RETURN_IF_ERROR(cancellation.Check());
    if (clock_.Monotonic() >= until) return false;
    event.WaitAside();
  }
  return true;
}

int64_t WaitTimer::waiting() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(by_deadline_.size());
}

void WaitTimer::Watch() {
  pthread_setname_np(pthread_self(), "toolgate-waiting");
  const auto has_work = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stopping_ || !by_deadline_.empty(); };
  absl::MutexLock lock(&mutex_);
  while (true) {
    mutex_.Await(absl::Condition(&has_work));
    if (stopping_) return;
    WakeDue();
    mutex_.AwaitWithTimeout(absl::Condition(&stopping_), kPollInterval);
  }
}

void WaitTimer::WakeDue() {
  // An entry stays until its call has taken it off, so that one which is woken before it waits is woken again.
  const absl::Duration now = clock_.Monotonic();
  for (const auto& [due, entry] : by_deadline_) {
    if (due > now) break;
    entry->event.Wake();
  }
  // A cancellation may have to be asked from another thread's memory, so only so many are in each round, in turn.
  auto next = by_deadline_.lower_bound(next_asked_);
  for (size_t asked = std::min(by_deadline_.size(), kAskedEachRound); asked > 0; --asked, ++next) {
    if (next == by_deadline_.end()) next = by_deadline_.begin();
    if (next->second->cancellation.cancelled()) next->second->event.Wake();
  }
  next_asked_ = next == by_deadline_.end() ? Key() : *next;
}

}  // namespace toolgate::fibers
