// Metrics of what is in use and what there is of it.
#ifndef TOOLGATE_SERVICES_APP_SATURATION_METRICS_H_
#define TOOLGATE_SERVICES_APP_SATURATION_METRICS_H_

#include <cstdint>
#include <vector>

#include "common/fibers/worker_pool.h"
#include "coordination/limits/local_limiter_store.h"
#include "observability/logger.h"
#include "observability/sampled_metric.h"
#include "security/execution_tracking/execution_state.h"
#include "services/audit/audit_queue.h"

namespace toolgate::services::app {

// Parts that know. All borrowed by the metrics.
struct SaturationSources {
  security::execution_tracking::ExecutionState& execution_state;
  const fibers::WorkerPool& workers;
  const audit::AuditQueue& audit_queue;
  const coordination::limits::LocalLimiterStore* limiter_store;  // Null: limits are not counted here.
  int64_t max_tracked_users = 0;
  int64_t max_audit_pending = 0;
  const observability::Logger& logger;
};

// Bulkheads, workers, effects, users with limits, the audit queue's age, log lines.
std::vector<observability::SampledMetric> SaturationMetrics(const SaturationSources& sources);

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_SATURATION_METRICS_H_
