#include "services/app/readiness_watch.h"

#include <utility>

namespace toolgate::services::app {

ReadinessWatch::ReadinessWatch(Check check, Tell tell, absl::Duration interval)
    : check_(std::move(check)), tell_(std::move(tell)), interval_(interval) {
  const absl::Status first = check_();
  ready_ = first.ok();
  tell_(first);
  thread_ = std::thread([this] { Loop(); });
}

ReadinessWatch::~ReadinessWatch() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
}

void ReadinessWatch::Loop() {
  while (true) {
    {
      absl::MutexLock lock(&mutex_);
      if (mutex_.AwaitWithTimeout(absl::Condition(&stopping_), interval_)) return;
    }
    const absl::Status status = check_();
    if (std::exchange(ready_, status.ok()) != status.ok()) tell_(status);
  }
}

}  // namespace toolgate::services::app
