#include "services/app/service_state.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/build_info/build_info.h"
#include "common/config_path.h"
#include "common/status_macros.h"
#include "coordination/leases/local_leases.h"
#include "coordination/leases/store_leases.h"
#include "executors/blocks/declared_fields.h"
#include "executors/registration/registration.h"
#include "security/safe_errors/masker.h"
#include "services/app/family_hooks.h"
#include "services/app/metric_labels.h"
#include "services/app/open_redis.h"
#include "services/rendering/provider_names.h"
#include "storage/backends/open_store.h"

namespace toolgate::services::app {

using core::Core;
using core::ProcessState;
using observability::LogField;
using observability::Metrics;
using security::safe_errors::KnownSecrets;
using security::safe_errors::MaskLevel;

namespace {

constexpr size_t kKeyBytes = 32;
constexpr char kSigningKey[] = "confirmation_signing_key";

std::vector<std::string> ToolIds(const executors::Catalog& catalog) {
  std::vector<std::string> ids;
  for (const executors::Tool& tool : catalog.tools()) ids.push_back(tool.definition.id);
  return ids;
}

storage::backends::StoreEnvironment StoreEnvironmentOf(const toolgate::config::v1::Config& config,
                                                       const Application::Environment& environment,
                                                       StoreMetrics& observer,
                                                       coordination::signals::Signals& signals) {
  storage::backends::StoreEnvironment store;
  store.fields = executors::blocks::BlockFields();
  store.reader_shares = security::execution_tracking::SharesOf(config.execution_tracking());
  store.clock = &environment.clock;
  store.ids = &environment.ids;
  store.observer = &observer;
  store.on_signal = [&signals](std::string_view subject) { signals.Send(subject); };
  store.on_maintenance_failed = [&logger = environment.logger](const absl::Status& status) {
    logger.Error("the store's upkeep failed and is tried again", {LogField::Key("error", status.ToString())});
  };
  return store;
}

audit::AuditQueue::Options AuditOptions(Metrics& metrics, observability::Logger& logger,
                                        coordination::leases::Leases& leases) {
  audit::AuditQueue::Options options;
  options.leases = &leases;
  options.on_flush = [&metrics, &logger](size_t entries, absl::Duration took, const absl::Status& status) {
    metrics.ObserveAuditFlush(took);
    if (!status.ok()) {
      logger.Error("audit entries could not be written and wait",
                   {{"entries", entries}, LogField::Key("error", status.ToString())});
    }
  };
  options.on_trim_failed = [&logger](const absl::Status& status) {
    logger.Error("audit entries past their retention could not be dropped",
                 {LogField::Key("error", status.ToString())});
  };
  return options;
}

std::unique_ptr<coordination::leases::Leases> MakeLeases(storage::Store& store, const Clock& clock,
                                                         const std::string& process_id) {
  if (!store.IsShared()) return std::make_unique<coordination::leases::LocalLeases>();
  return std::make_unique<coordination::leases::StoreLeases>(store, clock, process_id);
}

observability::LogMask MaskOf(MaskLevel level, const KnownSecrets& secrets) {
  return [masker = security::safe_errors::Masker(level, &secrets)](std::string_view text) { return masker.Mask(text); };
}

}  // namespace

observability::LogMask MaskOfFailures(std::shared_ptr<const ConfiguredSecrets> secrets, const KnownSecrets& known) {
  return [secrets = std::move(secrets), mask = MaskOf(MaskLevel::kSecrets, known)](std::string_view text) {
    secrets->Refresh();
    return mask(text);
  };
}

ServiceState::ServiceState(const toolgate::config::v1::Config& configuration, const Application::Environment& env,
                           OwnSecrets own, std::shared_ptr<ConfiguredSecrets> configured,
                           std::shared_ptr<const executors::Catalog> tools,
                           std::shared_ptr<toolgate::http::ClientPool> clients,
                           std::vector<observability::SampledMetric> of_families)
    : config(configuration),
      environment(env),
      own_secrets(std::move(own)),
      secrets(std::move(configured)),
      catalog(std::move(tools)),
      metrics(MetricLabels(*catalog, configuration)),
      family_metrics(std::move(of_families)),
      log_observer(env.logger, MaskOf(MaskLevel::kSecrets, *env.secrets), MaskOf(MaskLevel::kAll, *env.secrets)),
      call_spans(ToolIds(*catalog), MaskOf(MaskLevel::kSecrets, *env.secrets)),
      observers(Observers(configuration)),
      limit_metrics(metrics),
      breakers(env.clock,
               [this](std::string_view breaker, coordination::breakers::BreakerState state) {
                 limit_metrics.OnBreakerState(breaker, state);
               }),
      confirmation_metrics(metrics),
      store_metrics(metrics, ToolIds(*catalog)),
      error_log(env.logger),
      identities(security::identity::SecurityOf(configuration.server()), env.clock,
                 [&env_logger = env.logger](const std::string& what) { env_logger.Warning(what); }),
      http_clients(std::move(clients)) {}

std::vector<observability::CallObserver*> ServiceState::Observers(const toolgate::config::v1::Config& configuration) {
  if (configuration.traces().endpoint().empty()) return {&metrics, &log_observer};
  return {&metrics, &log_observer, &call_spans};
}

absl::StatusOr<std::unique_ptr<ServiceState>> ServiceState::Open(const toolgate::config::v1::Config& config,
                                                                 const Application::Environment& given) {
  OwnSecrets own_secrets(given.secrets);
  Application::Environment environment = given;
  environment.secrets = &own_secrets.known;
  const auto secrets = std::make_shared<ConfiguredSecrets>(own_secrets.known);
  secrets->Read(config);
  FamilyHooks hooks;
  const executors::CatalogOptions options =
      hooks.OptionsOf(config, environment.logger, MaskOfFailures(secrets, own_secrets.known));
  ASSIGN_OR_RETURN(std::shared_ptr<const executors::Catalog> catalog,
                   executors::MakeCatalog(environment.families == nullptr ? executors::registration::BuiltInFamilies()
                                                                          : *environment.families,
                                          options));
  RETURN_IF_ERROR(rendering::CheckProviderNames(catalog->tools()));
  std::unique_ptr<ServiceState> state =
      absl::WrapUnique(new ServiceState(config, environment, std::move(own_secrets), secrets, std::move(catalog),
                                        options.http_clients, hooks.TakeMetrics()));
  hooks.Connect([raw = state.get()] { return raw->core(); }, state->metrics);
  RETURN_IF_ERROR(state->OpenStore());
  ASSIGN_OR_RETURN(std::shared_ptr<const Core> core, state->MakeCore(config));
  state->PutInForce(std::move(core), config);
  return state;
}

absl::Status ServiceState::OpenStore() {
  if (!config.storage().postgres().host().empty()) {
    absl::StatusOr<storage::DataDirectory> locked = storage::DataDirectory::Lock(config.storage().data_dir());
    if (!locked.ok()) return AtConfigPath("storage.data_dir", locked.status());
    data_directory.emplace(*std::move(locked));
  }
  absl::StatusOr<std::unique_ptr<storage::Store>> opened =
      storage::backends::OpenStore(config.storage(), StoreEnvironmentOf(config, environment, store_metrics, signals));
  metrics.store_log_limit_bytes().Set(int64_t{config.storage().sqlite().log_limit_mib()} << 20);
  if (!opened.ok()) {
    const bool is_embedded = config.storage().postgres().host().empty();
    return AtConfigPath(is_embedded ? "storage.data_dir" : "storage.postgres", opened.status());
  }
  store = *std::move(opened);
  std::string process_id = environment.ids.NewId(environment.clock.Now());
  leases = MakeLeases(*store, environment.clock, process_id);
  ASSIGN_OR_RETURN(std::string key, store->GetOrCreateSecret(kSigningKey, environment.ids.RandomBytes(kKeyBytes)));
  own_secrets.known.Add({key});
  RETURN_IF_ERROR(OpenLimits(process_id));
  ASSIGN_OR_RETURN(execution_state, security::execution_tracking::ExecutionState::Create(
                                        catalog->tools(), config.execution_tracking(), environment.clock));
  audit_queue =
      std::make_unique<audit::AuditQueue>(*store, config.audit(), AuditOptions(metrics, environment.logger, *leases));
  decisions = std::make_unique<security::confirmation::DecisionWatch>(*store, signals, environment.clock,
                                                                      execution_state->waits());
  process_state = std::make_unique<ProcessState>(
      ProcessState{catalog, *store, environment.clock, environment.ids, *audit_queue, observers, *limiter_store,
                   breakers, limit_metrics, confirmation_metrics, *execution_state, error_log, identities,
                   running_claims, std::move(key), std::move(process_id), environment.secrets});
  ASSIGN_OR_RETURN(traces, TraceExport::Create(config, {environment.logger, environment.clock, environment.ids, metrics,
                                                        build_info::Version()}));
  return absl::OkStatus();
}

absl::Status ServiceState::OpenLimits(const std::string& process_id) {
  using coordination::limits::LocalLimiterStore;
  using coordination::limits::RedisLimiterStore;
  if (config.coordination().redis().address().empty()) {
    if (store->IsShared()) {
      environment.logger.Warning(
          "each process counts limits for itself; for limits of all together, set coordination.redis.address");
    }
    ASSIGN_OR_RETURN(std::unique_ptr<LocalLimiterStore> limits,
                     LocalLimiterStore::Create(config.rate_limiting().max_tracked_users(), environment.clock));
    local_limits = limits.get();
    limiter_store = std::move(limits);
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<redis::Client>> client = OpenRedis(config.coordination().redis());
  if (!client.ok()) return AtConfigPath("coordination.redis", client.status());
  // One that is away now may come: until then, the service is not ready.
  const absl::Status healthy = (*client)->CheckHealth();
  if (absl::IsFailedPrecondition(healthy)) return AtConfigPath("coordination.redis", healthy);
  auto limits = std::make_unique<RedisLimiterStore>(*std::move(client), process_id);
  redis_limits = limits.get();
  limiter_store = std::move(limits);
  return absl::OkStatus();
}

absl::Status ServiceState::CheckHealth() {
  RETURN_IF_ERROR(store->CheckHealth());
  if (redis_limits == nullptr) return absl::OkStatus();
  const absl::Status limits = redis_limits->client().CheckHealth();
  if (limits.ok()) return limits;
  return absl::Status(limits.code(), absl::StrCat("limits in Redis: ", limits.message()));
}

absl::StatusOr<std::shared_ptr<const Core>> ServiceState::MakeCore(const toolgate::config::v1::Config& next) {
  {
    absl::ReaderMutexLock lock(&core_mutex);
    if (takes_credentials && !security::identity::TakesCredentials(next.identity())) {
      return absl::InvalidArgumentError(
          "callers are known by credentials, and nothing says any more who may call; write identity.services or "
          "identity.jwt (believing what callers say of themselves needs a restart)");
    }
  }
  secrets->Read(next);
  ASSIGN_OR_RETURN(std::unique_ptr<Core> made, Core::Create(next, *process_state));
  return std::shared_ptr<const Core>(std::move(made));
}

void ServiceState::PutInForce(std::shared_ptr<const Core> core, const toolgate::config::v1::Config& made_of) {
  absl::MutexLock lock(&core_mutex);
  current.swap(core);  // The earlier one goes outside of the lock.
  takes_credentials = security::identity::TakesCredentials(made_of.identity());
}

void ServiceState::ResolveAbandonedClaims() {
  using Abandoned = execution::Recovery::Abandoned;
  observability::Logger& logger = environment.logger;
  const auto report = [&logger](const storage::OpenClaim& open, std::string_view recovery, const absl::Status& status) {
    if (status.ok()) {
      logger.Warning(
          "resolved a call that was interrupted while its tool acted outside of the workspace",
          {{"recovery", recovery}, LogField::Key("tool_id", open.claim.tool_id), {"audit_entry_id", open.claim.id}});
    } else {
      logger.Error("a call that was interrupted cannot be resolved yet; it stays in the journal",
                   {{"tool_id", open.claim.tool_id},
                    LogField::Key("audit_entry_id", open.claim.id),
                    {"recoveries", open.claim.recoveries},
                    {"error", status.ToString()}});
    }
  };
  const absl::StatusOr<int64_t> left =
      core()->ResolveAbandonedClaims(store->IsShared() ? Abandoned::kExpired : Abandoned::kNotOwnRunning, report);
  // The readiness watch reports a failing store.
  if (left.ok()) metrics.unresolved_claims().Set(*left);
}

}  // namespace toolgate::services::app
