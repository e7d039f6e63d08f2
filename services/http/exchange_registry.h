// The requests that have begun and not ended.
#ifndef TOOLGATE_SERVICES_HTTP_EXCHANGE_REGISTRY_H_
#define TOOLGATE_SERVICES_HTTP_EXCHANGE_REGISTRY_H_

#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace toolgate::services::http {

class Exchange;

// Owns exchanges together with whoever works for them. Thread-safe.
class ExchangeRegistry {
 public:
  void Add(const std::shared_ptr<Exchange>& exchange);
  // Drops `exchange`, which may be its end.
  void Remove(const Exchange* exchange);

  std::vector<std::shared_ptr<Exchange>> All() const;
  // False when there are still some after `timeout`.
  bool AwaitNone(absl::Duration timeout) const;

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<const Exchange*, std::shared_ptr<Exchange>> exchanges_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_EXCHANGE_REGISTRY_H_
