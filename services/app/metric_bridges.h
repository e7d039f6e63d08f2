// What layers and stores report, as metrics.
#ifndef TOOLGATE_SERVICES_APP_METRIC_BRIDGES_H_
#define TOOLGATE_SERVICES_APP_METRIC_BRIDGES_H_

#include <cstddef>
#include <string_view>

#include "observability/metrics.h"
#include "security/rate_limit/limit_observer.h"
#include "storage/sqlite/sqlite_store.h"

namespace toolgate::services {

// Thread-safe. Borrows `metrics`.
class LimitMetrics final : public security::rate_limit::LimitObserver {
 public:
  explicit LimitMetrics(observability::Metrics& metrics) : metrics_(metrics) {}

  void OnDecision(std::string_view tool_id, security::rate_limit::LimitCheck check,
                  security::rate_limit::LimitDecision decision) override;
  void OnBreakerState(std::string_view breaker, security::rate_limit::BreakerState state) override;

 private:
  observability::Metrics& metrics_;
};

// Thread-safe. Borrows `metrics`.
class StoreMetrics final : public storage::sqlite::SqliteObserver {
 public:
  explicit StoreMetrics(observability::Metrics& metrics) : metrics_(metrics) {}

  void OnRead(absl::Duration duration) override;
  void OnBatch(size_t jobs, absl::Duration duration) override;

 private:
  observability::Metrics& metrics_;
};

}  // namespace toolgate::services

#endif  // TOOLGATE_SERVICES_APP_METRIC_BRIDGES_H_
