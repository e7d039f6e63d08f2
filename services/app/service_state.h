// State of a running service, whatever transports its calls come by.
#ifndef TOOLGATE_SERVICES_APP_SERVICE_STATE_H_
#define TOOLGATE_SERVICES_APP_SERVICE_STATE_H_

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/http/client_pool.h"
#include "coordination/breakers/breaker_registry.h"
#include "coordination/leases/leases.h"
#include "coordination/limits/limiter_store.h"
#include "coordination/limits/local_limiter_store.h"
#include "coordination/limits/redis_limiter_store.h"
#include "coordination/signals/local_signals.h"
#include "executors/catalog.h"
#include "observability/call_observer.h"
#include "observability/log_observer.h"
#include "observability/metrics.h"
#include "observability/sampled_metric.h"
#include "observability/tracing/call_spans.h"
#include "security/confirmation/decision_watch.h"
#include "security/execution_tracking/execution_state.h"
#include "security/identity/identity_factory.h"
#include "security/safe_errors/error_log.h"
#include "security/safe_errors/known_secrets.h"
#include "services/app/application.h"
#include "services/app/configured_secrets.h"
#include "services/app/metric_bridges.h"
#include "services/app/trace_export.h"
#include "services/audit/audit_queue.h"
#include "services/core/core.h"
#include "services/core/process_state.h"
#include "services/execution/running_claims.h"
#include "storage/data_directory.h"
#include "storage/store.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::app {

// The service's secrets, where the program does not bring a set of its own.
struct OwnSecrets {
  std::unique_ptr<security::safe_errors::KnownSecrets> owned;
  security::safe_errors::KnownSecrets& known;

  explicit OwnSecrets(security::safe_errors::KnownSecrets* given)
      : owned(given == nullptr ? std::make_unique<security::safe_errors::KnownSecrets>() : nullptr),
        known(owned ? *owned : *given) {}
};

// Layer 5 tells the operator what it does not tell the caller.
class LoggedErrors final : public security::safe_errors::ErrorLog {
 public:
  explicit LoggedErrors(observability::Logger& logger) : logger_(logger) {}

  void Report(std::string_view reference_id, const security::ToolCall& call, const absl::Status& status) override {
    logger_.Error("a call failed for a reason that its caller was not told",
                  {observability::LogField::Key("reference_id", reference_id),  // Each is asked for by itself.
                   {"call_id", call.id},
                   {"trace_id", call.trace.valid() ? call.trace.TraceIdHex() : ""},
                   {"tool", call.tool == nullptr ? std::string() : call.tool->definition.id},
                   {"workspace_id", call.caller.workspace_id},
                   {"error", status.ToString()}});
  }

 private:
  observability::Logger& logger_;
};

// For what another service said: a key that was replaced a moment ago is known as well.
observability::LogMask MaskOfFailures(std::shared_ptr<const ConfiguredSecrets> secrets,
                                      const security::safe_errors::KnownSecrets& known);

// In the order of construction; destroyed in reverse order. Its parts are thread-safe.
struct ServiceState {  // NOLINT(clang-analyzer-optin.performance.Padding): the order matters, there is one.
  // Opens the store and makes the first core.
  static absl::StatusOr<std::unique_ptr<ServiceState>> Open(const toolgate::config::v1::Config& config,
                                                            const Application::Environment& given);

  // The present one, for as long as its user keeps it.
  std::shared_ptr<const core::Core> core() const {
    absl::ReaderMutexLock lock(&core_mutex);
    return current;
  }

  // Makes the core of `next`; calls run in it once it is put in force.
  absl::StatusOr<std::shared_ptr<const core::Core>> MakeCore(const toolgate::config::v1::Config& next);
  // Makes calls from now on run in `core`, which was made from `made_of`.
  void PutInForce(std::shared_ptr<const core::Core> core, const toolgate::config::v1::Config& made_of);
  // OK while the store and the limits can serve.
  absl::Status CheckHealth();
  // One round of the recovery watch.
  void ResolveAbandonedClaims();

  const toolgate::config::v1::Config config;  // From the start: source of settings fixed for the process's life.
  const Application::Environment environment;
  const OwnSecrets own_secrets;
  const std::shared_ptr<ConfiguredSecrets> secrets;
  const std::shared_ptr<const executors::Catalog> catalog;
  observability::Metrics metrics;
  std::vector<observability::SampledMetric> family_metrics;  // Until the metrics listener takes them.
  observability::LogObserver log_observer;
  observability::tracing::CallSpans call_spans;
  observability::CallObserverList observers;
  LimitMetrics limit_metrics;
  coordination::breakers::BreakerRegistry breakers;
  ConfirmationMetrics confirmation_metrics;
  StoreMetrics store_metrics;
  LoggedErrors error_log;
  security::identity::IdentityFactory identities;

  coordination::signals::LocalSignals signals;
  std::optional<storage::DataDirectory> data_directory;  // Locked here for a store that is elsewhere.
  std::unique_ptr<storage::Store> store;
  std::unique_ptr<coordination::leases::Leases> leases;
  std::unique_ptr<coordination::limits::LimiterStore> limiter_store;
  coordination::limits::LocalLimiterStore* local_limits = nullptr;  // The store of limits, if it is one of these,
  coordination::limits::RedisLimiterStore* redis_limits = nullptr;  // or one of these.
  std::unique_ptr<security::execution_tracking::ExecutionState> execution_state;
  std::unique_ptr<security::confirmation::DecisionWatch> decisions;
  execution::RunningClaims running_claims;
  std::unique_ptr<audit::AuditQueue> audit_queue;
  std::unique_ptr<core::ProcessState> process_state;
  std::unique_ptr<TraceExport> traces;  // Its spans borrow names of the store and the observers above.

  // Calls that began under an earlier core keep it until they end.
  mutable absl::Mutex core_mutex;
  std::shared_ptr<const core::Core> current ABSL_GUARDED_BY(core_mutex);
  bool takes_credentials ABSL_GUARDED_BY(core_mutex) = false;  // Of the present core.

  const std::shared_ptr<toolgate::http::ClientPool> http_clients;  // Shared by all that ask other services.

 private:
  // `env.secrets` is not null: it is that of `own`.
  ServiceState(const toolgate::config::v1::Config& configuration, const Application::Environment& env, OwnSecrets own,
               std::shared_ptr<ConfiguredSecrets> configured, std::shared_ptr<const executors::Catalog> tools,
               std::shared_ptr<toolgate::http::ClientPool> clients,
               std::vector<observability::SampledMetric> of_families);

  // Calls leave no spans while traces are off.
  std::vector<observability::CallObserver*> Observers(const toolgate::config::v1::Config& configuration);
  absl::Status OpenStore();
  absl::Status OpenLimits(const std::string& process_id);
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_SERVICE_STATE_H_
