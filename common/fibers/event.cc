#include "common/fibers/event.h"

#include <utility>

namespace toolgate::fibers {

Event::~Event() {
  // Until a Set that somebody has seen already has let go of the lock.
  absl::MutexLock lock(&mutex_);
}

void Event::Set() {
  Baton* waiter = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    set_ = true;
    waiter = std::exchange(waiter_, nullptr);
  }
  if (waiter != nullptr) waiter->Post();
}

bool Event::IsSet() const {
  absl::MutexLock lock(&mutex_);
  return set_;
}

void Event::Reset() {
  absl::MutexLock lock(&mutex_);
  set_ = false;
}

void Event::Wake() {
  Baton* waiter = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    woken_ = true;
    waiter = std::exchange(waiter_, nullptr);
  }
  if (waiter != nullptr) waiter->Post();
}

void Event::WaitAside() {
  Baton baton;
  {
    absl::MutexLock lock(&mutex_);
    if (set_ || std::exchange(woken_, false)) return;
    waiter_ = &baton;
  }
  baton.WaitAside();
  absl::MutexLock lock(&mutex_);
  woken_ = false;
}

}  // namespace toolgate::fibers
