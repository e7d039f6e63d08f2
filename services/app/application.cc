#include "services/app/application.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/memory/memory.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "common/absl_bridge.h"
#include "common/build_info/build_info.h"
#include "common/config_path.h"
#include "common/fibers/worker_pool.h"
#include "common/http/client_pool.h"
#include "common/proto_time.h"
#include "common/sqlite/sqlite_budget.h"
#include "common/status_macros.h"
#include "common/time_zones.h"
#include "common/yaml/config_rules.h"
#include "coordination/breakers/breaker_registry.h"
#include "coordination/limits/local_limiter_store.h"
#include "coordination/signals/local_signals.h"
#include "executors/blocks/declared_fields.h"
#include "executors/chat/make_chat_models.h"
#include "executors/chat/settings.pb.h"
#include "executors/registration/registration.h"
#include "observability/blob_operation.h"
#include "observability/log_observer.h"
#include "observability/metrics.h"
#include "observability/metrics_server.h"
#include "observability/provider_call.h"
#include "observability/sampled_metric.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/call_spans.h"
#include "security/confirmation/decision_watch.h"
#include "security/execution_tracking/execution_state.h"
#include "security/injection_defence/models/detection_model.h"
#include "security/safe_errors/masker.h"
#include "services/api/api_runtime.h"
#include "services/api/known_call.h"
#include "services/app/configured_secrets.h"
#include "services/app/family_hooks.h"
#include "services/app/metric_bridges.h"
#include "services/app/metric_labels.h"
#include "services/app/readiness_watch.h"
#include "services/app/recovery_watch.h"
#include "services/app/saturation_metrics.h"
#include "services/app/trace_export.h"
#include "services/audit/audit_queue.h"
#include "services/chat/chats.h"
#include "services/core/core.h"
#include "services/grpc/admin_service.h"
#include "services/grpc/audit_service.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/chat_service.h"
#include "services/grpc/data_service.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/grpc_server.h"
#include "services/grpc/health_listener.h"
#include "services/grpc/inbound.h"
#include "services/grpc/instruction_service.h"
#include "services/grpc/tls_credentials.h"
#include "services/grpc/tool_service.h"
#include "services/http/http_server.h"
#include "services/rendering/provider_names.h"
#include "storage/backends/open_store.h"
#include "storage/store.h"

namespace toolgate::services::app {
namespace {

using core::Core;
using core::ProcessState;

using coordination::limits::LocalLimiterStore;
using observability::LogField;
using observability::Metrics;
using security::safe_errors::KnownSecrets;
using security::safe_errors::MaskLevel;

constexpr size_t kKeyBytes = 32;
constexpr char kSigningKey[] = "confirmation_signing_key";
constexpr absl::Duration kWorkersEnd = absl::Seconds(2);
constexpr absl::Duration kReadinessInterval = absl::Seconds(1);
constexpr absl::Duration kRecoveryInterval = absl::Seconds(5);

std::vector<std::string> ToolIds(const executors::Catalog& catalog) {
  std::vector<std::string> ids;
  for (const executors::Tool& tool : catalog.tools()) ids.push_back(tool.definition.id);
  return ids;
}

storage::backends::StoreEnvironment StoreEnvironmentOf(const config::v1::Config& config,
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

audit::AuditQueue::Options AuditOptions(Metrics& metrics, observability::Logger& logger) {
  audit::AuditQueue::Options options;
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

observability::LogMask MaskOf(MaskLevel level, const KnownSecrets& secrets) {
  return [masker = security::safe_errors::Masker(level, &secrets)](std::string_view text) { return masker.Mask(text); };
}

// For what another service said: a key that was replaced a moment ago is known as well.
observability::LogMask MaskOfFailures(std::shared_ptr<const ConfiguredSecrets> secrets, const KnownSecrets& known) {
  return [secrets = std::move(secrets), mask = MaskOf(MaskLevel::kSecrets, known)](std::string_view text) {
    secrets->Refresh();
    return mask(text);
  };
}

// The service's secrets, where the program does not bring a set of its own.
struct OwnSecrets {
  std::unique_ptr<KnownSecrets> owned;
  KnownSecrets& known;

  explicit OwnSecrets(KnownSecrets* given)
      : owned(given == nullptr ? std::make_unique<KnownSecrets>() : nullptr), known(owned ? *owned : *given) {}
};

// Layer 5 tells the operator what it does not tell the caller.
class LoggedErrors final : public security::safe_errors::ErrorLog {
 public:
  explicit LoggedErrors(observability::Logger& logger) : logger_(logger) {}

  void Report(std::string_view reference_id, const security::ToolCall& call, const absl::Status& status) override {
    logger_.Error("a call failed for a reason that its caller was not told",
                  {LogField::Key("reference_id", reference_id),  // Each is asked for by itself.
                   {"call_id", call.id},
                   {"trace_id", call.trace.valid() ? call.trace.TraceIdHex() : ""},
                   {"tool", call.tool == nullptr ? std::string() : call.tool->definition.id},
                   {"workspace_id", call.caller.workspace_id},
                   {"error", status.ToString()}});
  }

 private:
  observability::Logger& logger_;
};

}  // namespace

// In the order of construction; destroyed in reverse order.
struct Application::Impl {  // NOLINT(clang-analyzer-optin.performance.Padding): the order matters, there is one.
  // `env.secrets` is not null: it is that of `own`.
  Impl(const config::v1::Config& configuration, const Environment& env, OwnSecrets own,
       std::shared_ptr<ConfiguredSecrets> configured, std::shared_ptr<const executors::Catalog> tools,
       std::shared_ptr<toolgate::http::ClientPool> clients, std::vector<observability::SampledMetric> of_families)
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

  // Calls leave no spans while traces are off.
  std::vector<observability::CallObserver*> Observers(const config::v1::Config& configuration) {
    if (configuration.traces().endpoint().empty()) return {&metrics, &log_observer};
    return {&metrics, &log_observer, &call_spans};
  }

  // The present one, for as long as its user keeps it.
  std::shared_ptr<const Core> core() const {
    absl::ReaderMutexLock lock(&core_mutex);
    return current;
  }

  absl::Status OpenState();
  // Makes calls from now on run in `core`, which was made from `made_of`.
  void PutInForce(std::shared_ptr<const Core> core, const config::v1::Config& made_of);
  // Whether `next` would turn off credentials and simply believe callers.
  bool WouldTakeCredentialsAway(const config::v1::Config& next);
  // Null when no model is configured.
  absl::StatusOr<std::unique_ptr<chat::Chats>> MakeChats();
  absl::Status Listen();
  absl::Status ServeMetrics();
  absl::Status ServeHttp();
  // Lets the calls of both transports end side by side.
  absl::Status Drain();
  // Reports the store's state to health and the log; for the readiness watch.
  void SetReady(const absl::Status& status);
  // One round of the recovery watch.
  void ResolveAbandonedClaims();
  absl::StatusOr<std::shared_ptr<grpc::TlsCredentials>> MakeTls();

  const config::v1::Config config;  // From the start: source of settings fixed for the process's life.
  const Environment environment;
  const OwnSecrets own_secrets;
  const std::shared_ptr<ConfiguredSecrets> secrets;
  const std::shared_ptr<const executors::Catalog> catalog;
  Metrics metrics;
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
  std::unique_ptr<storage::Store> store;
  std::unique_ptr<LocalLimiterStore> limiter_store;
  std::unique_ptr<security::execution_tracking::ExecutionState> execution_state;
  std::unique_ptr<security::confirmation::DecisionWatch> decisions;
  execution::RunningClaims running_claims;
  std::unique_ptr<audit::AuditQueue> audit_queue;
  std::unique_ptr<ProcessState> process_state;
  std::unique_ptr<TraceExport> traces;  // Its spans borrow names of the store and the observers above.

  // Calls that began under an earlier core keep it until they end.
  mutable absl::Mutex core_mutex;
  std::shared_ptr<const Core> current ABSL_GUARDED_BY(core_mutex);
  bool takes_credentials ABSL_GUARDED_BY(core_mutex) = false;  // Of the present core.

  grpc::CallTracker calls;
  std::unique_ptr<fibers::WorkerPool> workers;
  const std::shared_ptr<toolgate::http::ClientPool> http_clients;  // Shared by all that ask other services.
  std::unique_ptr<chat::Chats> chats;                              // Null: none.
  std::unique_ptr<api::ApiRuntime> api_runtime;
  std::unique_ptr<grpc::GrpcRuntime> grpc_runtime;
  std::unique_ptr<grpc::ToolService> tool_service;
  std::unique_ptr<grpc::AuditService> audit_service;
  std::unique_ptr<grpc::DataService> data_service;
  std::unique_ptr<grpc::AdminService> admin_service;
  std::unique_ptr<grpc::InstructionService> instruction_service;
  std::unique_ptr<grpc::ChatService> chat_service;
  std::shared_ptr<grpc::TlsCredentials> tls;  // Null: plaintext.
  std::unique_ptr<grpc::GrpcServer> server;
  std::unique_ptr<http::HttpServer> http_server;  // Null: none.
  std::unique_ptr<grpc::HealthListener> health;   // Null: none.
  std::unique_ptr<observability::MetricsServer> metrics_server;
  bool was_unready = false;  // Used only by the watch.
  std::atomic<bool> draining{false};
  std::unique_ptr<ReadinessWatch> readiness;
  std::unique_ptr<RecoveryWatch> recovery_watch;
  std::unique_ptr<RecoveryWatch> renewal_watch;
};

absl::StatusOr<std::unique_ptr<Application>> Application::Start(const config::v1::Config& config,
                                                                const Environment& given) {
  // Must come before any use of SQLite.
  if (!sqlite::SqliteBudget::Install()) {
    return absl::FailedPreconditionError("SQLite was in use before its memory could be bounded");
  }
  // Reads the list before the first call needs it.
  if (const absl::Status& zones = TimeZones::OfThisMachine().status(); !zones.ok()) {
    given.logger.Warning("time zones cannot be used", {{"error", FromAbsl(zones.message())}});
  }
  // Building layer 1's model takes longer than anything else here, and is independent of it.
  const std::future<void> model = std::async(std::launch::async, [] {
    security::injection_defence::models::DetectionModel::Embedded().status().IgnoreError();
  });
  OwnSecrets own_secrets(given.secrets);
  Environment environment = given;
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
  auto impl = std::make_unique<Impl>(config, environment, std::move(own_secrets), secrets, std::move(catalog),
                                     options.http_clients, hooks.TakeMetrics());
  hooks.Connect([raw = impl.get()] { return raw->core(); }, impl->metrics);
  RETURN_IF_ERROR(impl->OpenState());
  ASSIGN_OR_RETURN(std::unique_ptr<Core> core, Core::Create(config, *impl->process_state));
  impl->PutInForce(std::move(core), config);
  RETURN_IF_ERROR(impl->Listen());
  return absl::WrapUnique(new Application(std::move(impl)));
}

absl::Status Application::Impl::OpenState() {
  absl::StatusOr<std::unique_ptr<storage::Store>> opened =
      storage::backends::OpenStore(config.storage(), StoreEnvironmentOf(config, environment, store_metrics, signals));
  metrics.store_log_limit_bytes().Set(int64_t{config.storage().sqlite().log_limit_mib()} << 20);
  if (!opened.ok()) return AtConfigPath("storage.data_dir", opened.status());
  store = *std::move(opened);
  ASSIGN_OR_RETURN(std::string key, store->GetOrCreateSecret(kSigningKey, environment.ids.RandomBytes(kKeyBytes)));
  own_secrets.known.Add({key});
  ASSIGN_OR_RETURN(limiter_store,
                   LocalLimiterStore::Create(config.rate_limiting().max_tracked_users(), environment.clock));
  ASSIGN_OR_RETURN(execution_state, security::execution_tracking::ExecutionState::Create(
                                        catalog->tools(), config.execution_tracking(), environment.clock));
  audit_queue = std::make_unique<audit::AuditQueue>(*store, config.audit(), AuditOptions(metrics, environment.logger));
  decisions = std::make_unique<security::confirmation::DecisionWatch>(*store, signals, environment.clock,
                                                                      execution_state->waits());
  process_state = std::make_unique<ProcessState>(ProcessState{
      catalog, *store, environment.clock, environment.ids, *audit_queue, observers, *limiter_store, breakers,
      limit_metrics, confirmation_metrics, *execution_state, error_log, identities, running_claims, std::move(key),
      environment.ids.NewId(environment.clock.Now()), environment.secrets});
  ASSIGN_OR_RETURN(traces, TraceExport::Create(config, {environment.logger, environment.clock, environment.ids, metrics,
                                                        build_info::Version()}));
  return absl::OkStatus();
}

void Application::Impl::PutInForce(std::shared_ptr<const Core> core, const config::v1::Config& made_of) {
  absl::MutexLock lock(&core_mutex);
  current.swap(core);  // The earlier one goes outside of the lock.
  takes_credentials = security::identity::TakesCredentials(made_of.identity());
}

bool Application::Impl::WouldTakeCredentialsAway(const config::v1::Config& next) {
  absl::ReaderMutexLock lock(&core_mutex);
  return takes_credentials && !security::identity::TakesCredentials(next.identity());
}

absl::StatusOr<std::unique_ptr<chat::Chats>> Application::Impl::MakeChats() {
  using executors::chat::ChatSettings;
  if (!config.families().HasExtension(ChatSettings::chat)) return std::unique_ptr<chat::Chats>();
  const ChatSettings& settings = config.families().GetExtension(ChatSettings::chat);
  const auto on_call = [this](std::string_view provider, observability::ProviderOutcome outcome,
                              absl::Duration duration) { metrics.ObserveProviderCall(provider, outcome, duration); };
  const auto on_failure = [this, mask = MaskOfFailures(secrets, own_secrets.known)](std::string_view provider,
                                                                                    std::string_view detail) {
    environment.logger.Warning("a model of a chat failed",
                               {LogField::Key("provider", provider), {"detail", mask(detail)}});
  };
  ASSIGN_OR_RETURN(auto models,
                   executors::chat::MakeChatModels(settings, environment.clock, http_clients, on_call, on_failure));
  return std::make_unique<chat::Chats>(settings, std::move(models), execution_state->waits());
}

absl::Status Application::Impl::Listen() {
  const config::v1::Server& server_config = config.server();
  ASSIGN_OR_RETURN(tls, MakeTls());
  fibers::WorkerPool::Options pool;
  pool.max_running = server_config.worker_threads();
  pool.max_queued = static_cast<size_t>(config.execution_tracking().max_queued());
  workers = std::make_unique<fibers::WorkerPool>(pool);
  ASSIGN_OR_RETURN(chats, MakeChats());
  api_runtime = absl::WrapUnique(new api::ApiRuntime{
      [this] { return core(); }, *store, *audit_queue, metrics, traces->tracer(), environment.logger, environment.clock,
      environment.ids, *decisions, config.storage().data_dir(), chats.get()});
  grpc_runtime = std::make_unique<grpc::GrpcRuntime>(
      grpc::GrpcRuntime{*api_runtime, *workers, calls, execution_state->waits(), /*tls=*/tls != nullptr,
                        FromProtoDuration(server_config.write_timeout())});
  tool_service = std::make_unique<grpc::ToolService>(*grpc_runtime);
  audit_service = std::make_unique<grpc::AuditService>(*grpc_runtime);
  data_service = std::make_unique<grpc::DataService>(*grpc_runtime);
  admin_service = std::make_unique<grpc::AdminService>(*grpc_runtime);
  instruction_service = std::make_unique<grpc::InstructionService>(*grpc_runtime);
  chat_service = std::make_unique<grpc::ChatService>(*grpc_runtime);
  grpc::GrpcServer::Options options;
  options.services = {tool_service.get(),  audit_service.get(),       data_service.get(),
                      admin_service.get(), instruction_service.get(), chat_service.get()};
  options.readiness_names = {"toolgate.v1.ToolService",  "toolgate.v1.AuditService",       "toolgate.v1.DataService",
                             "toolgate.v1.AdminService", "toolgate.v1.InstructionService", "toolgate.v1.ChatService"};
  options.calls = &calls;
  options.authenticate_unknown = [this](const ::grpc::ServerContextBase& context) {
    return api::AuthenticateUnknownMethod(*api_runtime, grpc::InboundOf(*grpc_runtime, context));
  };
  if (tls != nullptr) options.credentials = grpc::TlsCredentials::ForListener(tls);
  if (!server_config.health_listen().empty()) {
    auto started = grpc::HealthListener::Start(server_config.health_listen(), options.readiness_names);
    if (!started.ok()) return AtConfigPath("server.health_listen", started.status());
    health = *std::move(started);
  }
  if (!server_config.metrics_listen().empty()) RETURN_IF_ERROR(ServeMetrics());
  if (!config.http().listen().empty()) RETURN_IF_ERROR(ServeHttp());
  auto listening = grpc::GrpcServer::Start(server_config, std::move(options));
  if (!listening.ok()) return AtConfigPath("server.listen", listening.status());
  server = *std::move(listening);
  recovery_watch = std::make_unique<RecoveryWatch>([this] { ResolveAbandonedClaims(); }, kRecoveryInterval);
  // The readiness watch reports a failing store.
  renewal_watch =
      std::make_unique<RecoveryWatch>([this] { core()->RenewRunningClaims().IgnoreError(); }, kRecoveryInterval);
  readiness =
      std::make_unique<ReadinessWatch>([this] { return store->CheckHealth(); },
                                       [this](const absl::Status& status) {
                                         SetReady(status);
                                         secrets->Refresh();
                                         environment.logger.WriteLeftOut(observability::Logger::LeftOutOf::kEnded);
                                       },
                                       kReadinessInterval);
  return absl::OkStatus();
}

absl::Status Application::Impl::ServeMetrics() {
  const auto sample = [this](Metrics& sampled) {
    sampled.queue_length().Set(core()->waiting_calls() + static_cast<int64_t>(workers->queued()));
    sampled.waiting_calls().Set(execution_state->waits().waiting());
    sampled.effects_under_way().Set(execution_state->effects().taken());
    sampled.audit_pending().Set(static_cast<int64_t>(audit_queue->pending()));
    ShowBreakers(core()->rate_limit(), sampled);
  };
  std::vector<observability::SampledMetric> further =
      SaturationMetrics({*execution_state, *workers, *audit_queue, *limiter_store,
                         config.rate_limiting().max_tracked_users(), config.audit().max_pending(), environment.logger});
  std::move(family_metrics.begin(), family_metrics.end(), std::back_inserter(further));
  family_metrics.clear();
  further.push_back(store_metrics.longest_bodies().Metric());
  auto started = observability::MetricsServer::Start(
      config.server().metrics_listen(), std::make_shared<SampledMetrics>(metrics, sample, std::move(further)));
  if (!started.ok()) return AtConfigPath("server.metrics_listen", started.status());
  metrics_server = *std::move(started);
  return absl::OkStatus();
}

absl::Status Application::Impl::ServeHttp() {
  auto started = http::HttpServer::Start(config, {*api_runtime, *workers, execution_state->waits()});
  if (!started.ok()) return AtConfigPath("http.listen", started.status());
  http_server = *std::move(started);
  return absl::OkStatus();
}

absl::Status Application::Impl::Drain() {
  const absl::Duration grace = FromProtoDuration(config.server().drain_timeout());
  std::future<absl::Status> over_http;
  if (http_server != nullptr) {
    http_server->BeginDrain();
    over_http = std::async(std::launch::async, [this, grace] { return http_server->Shutdown(grace); });
  }
  absl::Status drained = server->Shutdown(grace);
  if (over_http.valid()) drained.Update(over_http.get());
  return drained;
}

void Application::Impl::ResolveAbandonedClaims() {
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

void Application::Impl::SetReady(const absl::Status& status) {
  server->SetReady(status.ok());
  metrics.ready().Set(status.ok() && !draining ? 1 : 0);
  if (health != nullptr) health->SetReady(status.ok());
  if (http_server != nullptr) http_server->SetReady(status.ok());
  if (!status.ok()) {
    environment.logger.Error("the store cannot serve; not ready until it can",
                             {LogField::Key("error", status.ToString())});
  } else if (was_unready) {
    environment.logger.Info("the store serves again; ready");
  }
  was_unready = !status.ok();
}

absl::StatusOr<std::shared_ptr<grpc::TlsCredentials>> Application::Impl::MakeTls() {
  if (config.server().tls().certificate_file().empty()) return std::shared_ptr<grpc::TlsCredentials>();
  observability::Logger& logger = environment.logger;
  return grpc::TlsCredentials::Create(config.server().tls(), environment.clock, [&logger](const std::string& problem) {
    if (problem.empty()) {
      logger.Info("new TLS files are in use");
    } else {
      logger.Error("new TLS files were refused; the old ones stay in use", {{"error", problem}});
    }
  });
}

Application::Application(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Application::~Application() = default;

const std::string& Application::address() const { return impl_->server->address(); }

std::string Application::metrics_address() const {
  return impl_->metrics_server == nullptr ? std::string() : impl_->metrics_server->address();
}

std::string Application::http_address() const {
  return impl_->http_server == nullptr ? std::string() : impl_->http_server->address();
}

std::string Application::health_address() const {
  return impl_->health == nullptr ? std::string() : impl_->health->address();
}

absl::Status Application::Reload(const config::v1::Config& config) {
  // Performs everything that can fail first, so that all of it is applied or nothing.
  if (impl_->WouldTakeCredentialsAway(config)) {
    return absl::InvalidArgumentError(
        "callers are known by credentials, and nothing says any more who may call; write identity.services or "
        "identity.jwt (believing what callers say of themselves needs a restart)");
  }
  impl_->secrets->Read(config);
  ASSIGN_OR_RETURN(std::shared_ptr<const Core> core, Core::Create(config, *impl_->process_state));
  if (impl_->tls != nullptr) RETURN_IF_ERROR(impl_->tls->Reload());
  impl_->PutInForce(std::move(core), config);
  const std::vector<std::string> fixed = yaml::ChangedFixedSettings(impl_->config, config);
  if (!fixed.empty()) {
    impl_->environment.logger.Warning("some settings that changed need a restart",
                                      {{"settings", absl::StrJoin(fixed, ", ")}});
  }
  return absl::OkStatus();
}

absl::Status Application::Stop() {
  impl_->draining = true;
  impl_->decisions->Stop();
  impl_->metrics.ready().Set(0);
  if (impl_->health != nullptr) impl_->health->BeginDrain();
  absl::Status drained = impl_->Drain();
  const absl::Status flushed = impl_->audit_queue->Flush();
  if (!flushed.ok()) {
    impl_->environment.logger.Error("audit entries were lost at the end", {{"error", flushed.ToString()}});
  }
  impl_->traces->Flush();
  if (drained.ok() && !impl_->workers->Stop(kWorkersEnd)) {
    return absl::DeadlineExceededError("a worker still runs a call that is over");
  }
  return drained;
}

}  // namespace toolgate::services::app
