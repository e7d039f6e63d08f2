#include "services/app/metric_bridges.h"

#include <map>
#include <string>

namespace toolgate::services::app {
namespace {

namespace limit = security::rate_limit;

observability::LimitCheck ToMetric(limit::LimitCheck check) {
  switch (check) {
    case limit::LimitCheck::kCircuitBreaker:
      return observability::LimitCheck::kCircuitBreaker;
    case limit::LimitCheck::kProviderThrottle:
      return observability::LimitCheck::kProviderThrottle;
    case limit::LimitCheck::kUserLimit:
      return observability::LimitCheck::kUserLimit;
    case limit::LimitCheck::kToolLimit:
      break;
  }
  return observability::LimitCheck::kToolLimit;
}

observability::LimitDecision ToMetric(limit::LimitDecision decision) {
  switch (decision) {
    case limit::LimitDecision::kAllowed:
      return observability::LimitDecision::kAllowed;
    case limit::LimitDecision::kRefused:
      return observability::LimitDecision::kRefused;
    case limit::LimitDecision::kShadow:
      return observability::LimitDecision::kReported;
    case limit::LimitDecision::kFailOpen:
      return observability::LimitDecision::kFailedOpen;
    case limit::LimitDecision::kFailClosed:
      break;
  }
  return observability::LimitDecision::kFailedClosed;
}

observability::BreakerState ToMetric(coordination::breakers::BreakerState state) {
  switch (state) {
    case coordination::breakers::BreakerState::kClosed:
      return observability::BreakerState::kClosed;
    case coordination::breakers::BreakerState::kHalfOpen:
      return observability::BreakerState::kHalfOpen;
    case coordination::breakers::BreakerState::kOpen:
      break;
  }
  return observability::BreakerState::kOpen;
}

}  // namespace

void LimitMetrics::OnDecision(std::string_view /*tool_id*/, limit::LimitCheck check, limit::LimitDecision decision) {
  metrics_.CountLimitDecision(ToMetric(check), ToMetric(decision));
}

void LimitMetrics::OnUse(limit::LimitCheck check, double share) { metrics_.ObserveLimitUse(ToMetric(check), share); }

void LimitMetrics::OnFault(limit::LimiterFault fault) {
  metrics_.CountLimiterFault(fault == limit::LimiterFault::kFull ? observability::LimiterFault::kFull
                                                                 : observability::LimiterFault::kUnreachable);
}

void LimitMetrics::OnBreakerState(std::string_view /*breaker*/, coordination::breakers::BreakerState state) {
  metrics_.CountBreakerChange(ToMetric(state));
}

void ShowBreakers(const limit::RateLimit& limits, observability::Metrics& metrics) {
  std::map<std::string, observability::BreakerState> states;
  for (const coordination::breakers::BreakerSnapshot& breaker : limits.AllBreakers()) {
    states.emplace(breaker.name, ToMetric(breaker.state));
  }
  metrics.SetBreakers(std::move(states));
}

void StoreMetrics::OnRead(absl::Duration duration) {
  metrics_.ObserveStoreOperation(observability::StoreOperation::kRead, duration);
}

void StoreMetrics::OnWrite(absl::Duration duration) {
  metrics_.ObserveStoreOperation(observability::StoreOperation::kWrite, duration);
}

void StoreMetrics::OnBody(std::string_view tool_id, absl::Duration duration) {
  metrics_.ObserveStoreOperation(observability::StoreOperation::kBody, duration);
  longest_bodies_.Note(tool_id, duration);
}

void StoreMetrics::OnBackup(absl::Duration duration) {
  metrics_.ObserveStoreOperation(observability::StoreOperation::kBackup, duration);
}

void StoreMetrics::OnBatch(size_t /*jobs*/, absl::Duration duration) {
  metrics_.ObserveStoreOperation(observability::StoreOperation::kCommit, duration);
}

void StoreMetrics::OnWaitingConfirmations(int64_t count) { metrics_.confirmations_waiting().Set(count); }

void StoreMetrics::OnLogSize(int64_t bytes) { metrics_.store_log_bytes().Set(bytes); }

void StoreMetrics::OnLogPause(bool emptied, absl::Duration pause) {
  if (emptied) metrics_.ObserveStoreOperation(observability::StoreOperation::kEmptyLog, pause);
}

void StoreMetrics::OnSnapshotsRevoked(size_t count) { metrics_.CountRevokedSnapshots(static_cast<int64_t>(count)); }

void CountBlobOperation(observability::BlobOperation operation, absl::Duration duration,
                        observability::Metrics& metrics) {
  const bool is_read = operation == observability::BlobOperation::kRead;
  metrics.ObserveStoreOperation(
      is_read ? observability::StoreOperation::kBlobRead : observability::StoreOperation::kBlobWrite, duration);
}

std::vector<prometheus::MetricFamily> SampledMetrics::Collect() const {
  sample_(metrics_);
  std::vector<prometheus::MetricFamily> families = all_->Collect();
  for (const observability::SampledMetric& metric : further_) families.push_back(observability::Sample(metric));
  return families;
}

}  // namespace toolgate::services::app
