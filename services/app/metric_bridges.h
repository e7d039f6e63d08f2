// Metrics from the reports of layers and stores.
#ifndef TOOLGATE_SERVICES_APP_METRIC_BRIDGES_H_
#define TOOLGATE_SERVICES_APP_METRIC_BRIDGES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "observability/blob_operation.h"
#include "observability/metrics.h"
#include "observability/sampled_metric.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "security/confirmation/confirmation_observer.h"
#include "security/rate_limit/limit_observer.h"
#include "security/rate_limit/rate_limit.h"
#include "services/app/longest_bodies.h"
#include "storage/store_observer.h"

namespace toolgate::services::app {

// Thread-safe. Borrows `metrics`.
class LimitMetrics final : public security::rate_limit::LimitObserver {
 public:
  explicit LimitMetrics(observability::Metrics& metrics) : metrics_(metrics) {}

  void OnDecision(std::string_view tool_id, security::rate_limit::LimitCheck check,
                  security::rate_limit::LimitDecision decision) override;
  void OnUse(security::rate_limit::LimitCheck check, double share) override;
  void OnFault(security::rate_limit::LimiterFault fault) override;
  void OnBreakerState(std::string_view breaker, coordination::breakers::BreakerState state) override;

 private:
  observability::Metrics& metrics_;
};

// Thread-safe. Borrows `metrics`.
class ConfirmationMetrics final : public security::confirmation::ConfirmationObserver {
 public:
  explicit ConfirmationMetrics(observability::Metrics& metrics) : metrics_(metrics) {}

  void OnConfirmation(observability::ConfirmationEvent event) override { metrics_.CountConfirmation(event); }

 private:
  observability::Metrics& metrics_;
};

// Shows the states of the breakers of `limits`, of one configuration, in place of earlier ones.
void ShowBreakers(const security::rate_limit::RateLimit& limits, observability::Metrics& metrics);

// Thread-safe. Borrows `metrics`.
class StoreMetrics final : public storage::StoreObserver {
 public:
  StoreMetrics(observability::Metrics& metrics, const std::vector<std::string>& tool_ids)
      : metrics_(metrics), longest_bodies_(tool_ids) {}

  const LongestBodies& longest_bodies() const { return longest_bodies_; }

  void OnRead(absl::Duration duration) override;
  void OnWrite(absl::Duration duration) override;
  void OnBatch(size_t jobs, absl::Duration duration) override;
  void OnBody(std::string_view tool_id, absl::Duration duration) override;
  void OnBackup(absl::Duration duration) override;
  void OnWaitingConfirmations(int64_t count) override;
  void OnLogSize(int64_t bytes) override;
  void OnLogPause(bool emptied, absl::Duration pause) override;
  void OnSnapshotsRevoked(size_t count) override;

 private:
  observability::Metrics& metrics_;
  LongestBodies longest_bodies_;
};

void CountBlobOperation(observability::BlobOperation operation, absl::Duration duration,
                        observability::Metrics& metrics);

// Reads values that change too often for reports, whenever the metrics are requested. Thread-safe.
class SampledMetrics final : public prometheus::Collectable {
 public:
  using Sample = std::function<void(observability::Metrics&)>;

  // Borrows `metrics`; `sample` sets gauges of it. `further` are shown after them.
  SampledMetrics(observability::Metrics& metrics, Sample sample, std::vector<observability::SampledMetric> further)
      : metrics_(metrics), sample_(std::move(sample)), all_(metrics.collectable()), further_(std::move(further)) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  observability::Metrics& metrics_;
  const Sample sample_;
  const std::shared_ptr<prometheus::Collectable> all_;
  const std::vector<observability::SampledMetric> further_;
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_METRIC_BRIDGES_H_
