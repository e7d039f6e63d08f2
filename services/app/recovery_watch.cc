#include "services/app/recovery_watch.h"

#include <utility>

namespace toolgate::services::app {

RecoveryWatch::RecoveryWatch(std::function<void()> round, absl::Duration interval)
    : round_(std::move(round)), interval_(interval), thread_([this] { Loop(); }) {}

RecoveryWatch::~RecoveryWatch() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
}

void RecoveryWatch::Loop() {
  while (true) {
    round_();
    absl::MutexLock lock(&mutex_);
    if (mutex_.AwaitWithTimeout(absl::Condition(&stopping_), interval_)) return;
  }
}

}  // namespace toolgate::services::app
