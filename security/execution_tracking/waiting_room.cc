#include "security/execution_tracking/waiting_room.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace toolgate::security::execution_tracking {
namespace {

// How often the room looks whether clients have left: well below the 100 ms to which deadlines hold.
constexpr absl::Duration kPollInterval = absl::Milliseconds(20);
// Time may have passed since a line was asked, and a wait for less than nothing does not end.
constexpr absl::Duration kShortestPause = absl::Milliseconds(1);

}  // namespace

WaitingRoom::~WaitingRoom() {
  std::thread thread;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

void WaitingRoom::Add(WaitingLine& line) {
  absl::MutexLock lock(&mutex_);
  lines_.push_back(&line);
}

void WaitingRoom::Remove(WaitingLine& line) {
  absl::MutexLock lock(&mutex_);
  lines_.erase(std::find(lines_.begin(), lines_.end(), &line));
}

bool WaitingRoom::TryEnter() {
  absl::MutexLock lock(&mutex_);
  if (waiting_ >= places_) return false;
  ++waiting_;
  if (!thread_.joinable()) thread_ = std::thread([this] { Watch(); });
  return true;
}

void WaitingRoom::Leave() {
  absl::MutexLock lock(&mutex_);
  --waiting_;
}

int64_t WaitingRoom::waiting() const {
  absl::MutexLock lock(&mutex_);
  return waiting_;
}

void WaitingRoom::Watch() {
  pthread_setname_np(pthread_self(), "toolgate-waiting");
  const auto has_work = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return waiting_ > 0 || stopping_; };
  absl::MutexLock lock(&mutex_);
  while (true) {
    mutex_.Await(absl::Condition(&has_work));
    if (stopping_) return;
    absl::Duration pause = kPollInterval;
    for (WaitingLine* const line : lines_) pause = std::min(pause, line->SendAwayImpatient());
    mutex_.AwaitWithTimeout(absl::Condition(&stopping_), std::max(pause, kShortestPause));
  }
}

}  // namespace toolgate::security::execution_tracking
