#include "coordination/signals/local_signals.h"

#include <algorithm>

namespace toolgate::coordination::signals {

void LocalSignals::Send(std::string_view subject) {
  absl::MutexLock lock(&mutex_);
  const auto [begin, end] = events_.equal_range(subject);
  for (auto entry = begin; entry != end; ++entry) entry->second->Set();
}

void LocalSignals::Add(const std::string& subject, fibers::Event& event) {
  absl::MutexLock lock(&mutex_);
  events_.emplace(subject, &event);
}

void LocalSignals::Remove(const std::string& subject, fibers::Event& event) {
  absl::MutexLock lock(&mutex_);
  const auto [begin, end] = events_.equal_range(subject);
  events_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == &event; }));
}

}  // namespace toolgate::coordination::signals
