#include "services/app/family_hooks.h"

#include <string_view>
#include <utility>

#include "common/fairness/memory_budget.h"
#include "common/http/client_pool.h"
#include "observability/blob_operation.h"
#include "observability/provider_call.h"
#include "security/execution_tracking/execution_state.h"
#include "services/app/metric_bridges.h"

namespace toolgate::services::app {

using fairness::MemoryBudget;
using observability::LogField;
using observability::SampledMetric;
using observability::SampledValue;

namespace {

void AddMemoryMetrics(const std::shared_ptr<MemoryBudget>& memory, std::vector<SampledMetric>& metrics) {
  metrics.push_back(SampledValue("toolgate_query_memory_bytes", "Memory that queries hold of what they share.",
                                 [memory] { return static_cast<double>(memory->reserved_bytes()); }));
  metrics.push_back(SampledValue("toolgate_query_memory_limit_bytes", "Most memory that all queries may hold.",
                                 [memory] { return static_cast<double>(memory->total_bytes()); }));
  SampledMetric refused = SampledValue("toolgate_query_memory_refused_total",
                                       "Times that a query found no memory left of what queries share.",
                                       [memory] { return static_cast<double>(memory->refused()); });
  refused.kind = SampledMetric::Kind::kCounter;
  metrics.push_back(std::move(refused));
}

}  // namespace

FamilyHooks::FamilyHooks() : process_(std::make_shared<Process>()) {}

executors::CatalogOptions FamilyHooks::OptionsOf(const toolgate::config::v1::Config& config,
                                                 observability::Logger& logger, observability::LogMask mask_secrets) {
  executors::CatalogOptions options;
  options.settings = config.families();
  options.critical_fields.assign(config.confirmation().critical_fields().begin(),
                                 config.confirmation().critical_fields().end());
  options.data_dir = config.storage().data_dir();
  options.http_clients = std::make_shared<toolgate::http::ClientPool>();
  options.shares = security::execution_tracking::SharesOf(config.execution_tracking());
  options.query_memory = std::make_shared<MemoryBudget>(MemoryBudget::Options{
      .total_bytes = config.execution_tracking().max_query_memory_bytes(), .shares = options.shares});
  AddMemoryMetrics(options.query_memory, metrics_);
  options.may_use_tool = [process = process_](const Caller& caller, std::string_view tool_id) {
    const std::shared_ptr<const core::Core> core = process->present_core();
    const executors::Tool* tool = core->catalog().Find(tool_id);
    return tool != nullptr && core->MayUse(caller, *tool);
  };
  options.is_tool_on = [process = process_](const Caller& caller, std::string_view tool_id,
                                            storage::ReadView& view) -> absl::StatusOr<bool> {
    const std::shared_ptr<const core::Core> core = process->present_core();
    const executors::Tool* tool = core->catalog().Find(tool_id);
    if (tool == nullptr || tool->is_on == nullptr) return tool != nullptr;
    return tool->is_on(caller, view);
  };
  options.add_metric = [this](observability::SampledMetric metric) { metrics_.push_back(std::move(metric)); };
  options.on_provider_call = [process = process_](std::string_view provider, observability::ProviderOutcome outcome,
                                                  absl::Duration duration) {
    process->metrics->ObserveProviderCall(provider, outcome, duration);
  };
  options.on_blob_operation = [process = process_](observability::BlobOperation operation, absl::Duration duration) {
    CountBlobOperation(operation, duration, *process->metrics);
  };
  options.on_provider_failure = [&logger, mask = std::move(mask_secrets)](std::string_view provider,
                                                                          std::string_view detail) {
    logger.Warning("a call to a provider failed", {LogField::Key("provider", provider), {"error", mask(detail)}});
  };
  return options;
}

void FamilyHooks::Connect(std::function<std::shared_ptr<const core::Core>()> present_core,
                          observability::Metrics& metrics) {
  process_->present_core = std::move(present_core);
  process_->metrics = &metrics;
}

std::vector<observability::SampledMetric> FamilyHooks::TakeMetrics() { return std::exchange(metrics_, {}); }

}  // namespace toolgate::services::app
