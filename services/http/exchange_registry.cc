#include "services/http/exchange_registry.h"

#include <utility>

#include "services/http/exchange.h"

namespace toolgate::services::http {

void ExchangeRegistry::Add(const std::shared_ptr<Exchange>& exchange) {
  absl::MutexLock lock(&mutex_);
  exchanges_.emplace(exchange.get(), exchange);
}

void ExchangeRegistry::Remove(const Exchange* exchange) {
  std::shared_ptr<Exchange> last;  // Ends without the lock.
  absl::MutexLock lock(&mutex_);
  const auto found = exchanges_.find(exchange);
  if (found == exchanges_.end()) return;
  last = std::move(found->second);
  exchanges_.erase(found);
}

std::vector<std::shared_ptr<Exchange>> ExchangeRegistry::All() const {
  absl::MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<Exchange>> all;
  all.reserve(exchanges_.size());
  for (const auto& [key, exchange] : exchanges_) all.push_back(exchange);
  return all;
}

bool ExchangeRegistry::AwaitNone(absl::Duration timeout) const {
  absl::MutexLock lock(&mutex_);
  const auto none = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return exchanges_.empty(); };
  return mutex_.AwaitWithTimeout(absl::Condition(&none), timeout);
}

}  // namespace toolgate::services::http
