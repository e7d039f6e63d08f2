#include "services/app/saturation_metrics.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace toolgate::services::app {
namespace {

using observability::LogLevel;
using observability::SampledMetric;
using observability::SampledValue;
using security::execution_tracking::BulkheadLoad;
using security::execution_tracking::ExecutionState;

constexpr std::string_view kAllModules = "all";
constexpr LogLevel kLevels[] = {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError};

// One number of each bulkhead that there is now.
SampledMetric OfBulkheads(ExecutionState& state, std::string name, std::string help, int64_t BulkheadLoad::*number) {
  SampledMetric metric{{std::move(name), std::move(help), {"module"}, {}}, SampledMetric::Kind::kGauge, nullptr};
  for (const BulkheadLoad& load : state.ListLoads()) {
    metric.rows.rows.push_back({load.module.empty() ? std::string(kAllModules) : load.module});
  }
  metric.read = [&state, number, rows = metric.rows.rows] {
    std::vector<double> values(rows.size());
    size_t row = 0;
    // Both are in the same order, and a module that came later has no row.
    for (const BulkheadLoad& load : state.ListLoads()) {
      const std::string_view module = load.module.empty() ? kAllModules : std::string_view(load.module);
      if (row < rows.size() && rows[row].front() == module) values[row++] = static_cast<double>(load.*number);
    }
    return values;
  };
  return metric;
}

SampledMetric OfLevels(const observability::Logger& logger, std::string name, std::string help,
                       uint64_t (observability::Logger::*count)(LogLevel) const) {
  SampledMetric metric{{std::move(name), std::move(help), {"level"}, {}}, SampledMetric::Kind::kCounter, nullptr};
  for (const LogLevel level : kLevels) metric.rows.rows.push_back({std::string(observability::LogLevelName(level))});
  metric.read = [&logger, count] {
    std::vector<double> values;
    for (const LogLevel level : kLevels) values.push_back(static_cast<double>((logger.*count)(level)));
    return values;
  };
  return metric;
}

}  // namespace

std::vector<SampledMetric> SaturationMetrics(const SaturationSources& sources) {
  ExecutionState& state = sources.execution_state;
  const auto constant = [](int64_t value) { return [value] { return static_cast<double>(value); }; };
  return {
      OfBulkheads(state, "toolgate_bulkhead_in_use", "Places of a bulkhead that are taken.", &BulkheadLoad::in_flight),
      OfBulkheads(state, "toolgate_bulkhead_limit", "Places of a bulkhead.", &BulkheadLoad::places),
      OfBulkheads(state, "toolgate_bulkhead_waiting", "Calls that wait for a place of a bulkhead.",
                  &BulkheadLoad::waiting),
      SampledValue("toolgate_workers_busy", "Calls that run on workers.",
                   [&workers = sources.workers] { return static_cast<double>(workers.running()); }),
      SampledValue("toolgate_workers_limit", "Most calls that may run on workers.",
                   constant(sources.workers.max_running())),
      SampledValue("toolgate_effects_limit", "Most calls of tools that act outside of the workspace.",
                   constant(state.effects().bound())),
      SampledValue("toolgate_limiter_users", "Users whose limits are remembered.",
                   [store = sources.limiter_store] {
                     return store == nullptr ? 0 : static_cast<double>(store->tracked_users());
                   }),
      SampledValue("toolgate_limiter_users_limit", "Most users whose limits can be remembered.",
                   constant(sources.max_tracked_users)),
      SampledValue("toolgate_audit_lag_seconds", "Age of the oldest audit entry that waits for its commit.",
                   [&queue = sources.audit_queue] { return absl::ToDoubleSeconds(queue.lag()); }),
      SampledValue("toolgate_audit_pending_limit", "Waiting audit entries at which calls are refused.",
                   constant(sources.max_audit_pending)),
      OfLevels(sources.logger, "toolgate_log_lines_total", "Log lines that were written.",
               &observability::Logger::written),
      OfLevels(sources.logger, "toolgate_log_repeats_total", "Log lines that were left out because they repeated.",
               &observability::Logger::left_out),
  };
}

}  // namespace toolgate::services::app
