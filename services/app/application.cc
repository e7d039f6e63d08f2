#include "services/app/application.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/config_path.h"
#include "common/fibers/worker_pool.h"
#include "common/http/client_pool.h"
#include "common/proto_time.h"
#include "common/sqlite/sqlite_budget.h"
#include "common/status_macros.h"
#include "common/time_zones.h"
#include "common/yaml/config_rules.h"
#include "executors/chat/make_chat_models.h"
#include "executors/chat/settings.pb.h"
#include "observability/metrics.h"
#include "observability/metrics_server.h"
#include "observability/provider_call.h"
#include "observability/sampled_metric.h"
#include "security/confirmation/decision_watch.h"
#include "security/execution_tracking/execution_state.h"
#include "security/injection_defence/models/detection_model.h"
#include "services/api/api_runtime.h"
#include "services/api/known_call.h"
#include "services/app/metric_bridges.h"
#include "services/app/readiness_watch.h"
#include "services/app/recovery_watch.h"
#include "services/app/saturation_metrics.h"
#include "services/app/service_state.h"
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
#include "storage/store.h"

namespace toolgate::services::app {
namespace {

using observability::LogField;
using observability::Metrics;

constexpr absl::Duration kWorkersEnd = absl::Seconds(2);
constexpr absl::Duration kReadinessInterval = absl::Seconds(1);
constexpr absl::Duration kRecoveryInterval = absl::Seconds(5);

}  // namespace

// In the order of construction; destroyed in reverse order.
struct Application::Impl {  // NOLINT(clang-analyzer-optin.performance.Padding): the order matters, there is one.
  explicit Impl(std::unique_ptr<ServiceState> opened) : state(std::move(opened)) {}

  // Null when no model is configured.
  absl::StatusOr<std::unique_ptr<chat::Chats>> MakeChats();
  absl::Status Listen();
  absl::Status ServeMetrics();
  absl::Status ServeHttp();
  // Lets the calls of both transports end side by side.
  absl::Status Drain();
  // Reports the store's state to health and the log; for the readiness watch.
  void SetReady(const absl::Status& status);
  absl::StatusOr<std::shared_ptr<grpc::TlsCredentials>> MakeTls();

  const std::unique_ptr<ServiceState> state;
  grpc::CallTracker calls;
  std::unique_ptr<fibers::WorkerPool> workers;
  std::unique_ptr<chat::Chats> chats;  // Null: none.
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

absl::StatusOr<std::unique_ptr<Application>> Application::Start(const toolgate::config::v1::Config& config,
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
  ASSIGN_OR_RETURN(std::unique_ptr<ServiceState> state, ServiceState::Open(config, given));
  auto impl = std::make_unique<Impl>(std::move(state));
  RETURN_IF_ERROR(impl->Listen());
  return absl::WrapUnique(new Application(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<chat::Chats>> Application::Impl::MakeChats() {
  using executors::chat::ChatSettings;
  if (!state->config.families().HasExtension(ChatSettings::chat)) return std::unique_ptr<chat::Chats>();
  const ChatSettings& settings = state->config.families().GetExtension(ChatSettings::chat);
  const auto on_call = [this](std::string_view provider, observability::ProviderOutcome outcome,
                              absl::Duration duration) {
    state->metrics.ObserveProviderCall(provider, outcome, duration);
  };
  const auto on_failure = [this, mask = MaskOfFailures(state->secrets, state->own_secrets.known)](
                              std::string_view provider, std::string_view detail) {
    state->environment.logger.Warning("a model of a chat failed",
                                      {LogField::Key("provider", provider), {"detail", mask(detail)}});
  };
  ASSIGN_OR_RETURN(auto models, executors::chat::MakeChatModels(settings, state->environment.clock, state->http_clients,
                                                                on_call, on_failure));
  return std::make_unique<chat::Chats>(settings, std::move(models), state->execution_state->waits(), *state->leases);
}

absl::Status Application::Impl::Listen() {
  const toolgate::config::v1::Server& server_config = state->config.server();
  ASSIGN_OR_RETURN(tls, MakeTls());
  fibers::WorkerPool::Options pool;
  pool.max_running = server_config.worker_threads();
  pool.max_queued = static_cast<size_t>(state->config.execution_tracking().max_queued());
  workers = std::make_unique<fibers::WorkerPool>(pool);
  ASSIGN_OR_RETURN(chats, MakeChats());
  api_runtime = absl::WrapUnique(
      new api::ApiRuntime{[this] { return state->core(); }, *state->store, *state->audit_queue, state->metrics,
                          state->traces->tracer(), state->environment.logger, state->environment.clock,
                          state->environment.ids, *state->decisions, state->config.storage().data_dir(), chats.get()});
  grpc_runtime = std::make_unique<grpc::GrpcRuntime>(
      grpc::GrpcRuntime{*api_runtime, *workers, calls, state->execution_state->waits(), /*tls=*/tls != nullptr,
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
  if (!state->config.http().listen().empty()) RETURN_IF_ERROR(ServeHttp());
  auto listening = grpc::GrpcServer::Start(server_config, std::move(options));
  if (!listening.ok()) return AtConfigPath("server.listen", listening.status());
  server = *std::move(listening);
  recovery_watch = std::make_unique<RecoveryWatch>([this] { state->ResolveAbandonedClaims(); }, kRecoveryInterval);
  // The readiness watch reports a failing store.
  renewal_watch = std::make_unique<RecoveryWatch>(
      [this] {
        state->core()->RenewRunningClaims().IgnoreError();
        state->leases->Renew().IgnoreError();
      },
      kRecoveryInterval);
  readiness = std::make_unique<ReadinessWatch>(
      [this] { return state->CheckHealth(); },
      [this](const absl::Status& status) {
        SetReady(status);
        state->secrets->Refresh();
        state->environment.logger.WriteLeftOut(observability::Logger::LeftOutOf::kEnded);
      },
      kReadinessInterval);
  return absl::OkStatus();
}

absl::Status Application::Impl::ServeMetrics() {
  const auto sample = [this](Metrics& sampled) {
    sampled.queue_length().Set(state->core()->waiting_calls() + static_cast<int64_t>(workers->queued()));
    sampled.waiting_calls().Set(state->execution_state->waits().waiting());
    sampled.effects_under_way().Set(state->execution_state->effects().taken());
    sampled.audit_pending().Set(static_cast<int64_t>(state->audit_queue->pending()));
    ShowBreakers(state->core()->rate_limit(), sampled);
  };
  std::vector<observability::SampledMetric> further =
      SaturationMetrics({*state->execution_state, *workers, *state->audit_queue, state->local_limits,
                         state->config.rate_limiting().max_tracked_users(), state->config.audit().max_pending(),
                         state->environment.logger});
  std::move(state->family_metrics.begin(), state->family_metrics.end(), std::back_inserter(further));
  state->family_metrics.clear();
  further.push_back(state->store_metrics.longest_bodies().Metric());
  auto started =
      observability::MetricsServer::Start(state->config.server().metrics_listen(),
                                          std::make_shared<SampledMetrics>(state->metrics, sample, std::move(further)));
  if (!started.ok()) return AtConfigPath("server.metrics_listen", started.status());
  metrics_server = *std::move(started);
  return absl::OkStatus();
}

absl::Status Application::Impl::ServeHttp() {
  auto started = http::HttpServer::Start(state->config, {*api_runtime, *workers, state->execution_state->waits()});
  if (!started.ok()) return AtConfigPath("http.listen", started.status());
  http_server = *std::move(started);
  return absl::OkStatus();
}

absl::Status Application::Impl::Drain() {
  const absl::Duration grace = FromProtoDuration(state->config.server().drain_timeout());
  std::future<absl::Status> over_http;
  if (http_server != nullptr) {
    http_server->BeginDrain();
    over_http = std::async(std::launch::async, [this, grace] { return http_server->Shutdown(grace); });
  }
  absl::Status drained = server->Shutdown(grace);
  if (over_http.valid()) drained.Update(over_http.get());
  return drained;
}

void Application::Impl::SetReady(const absl::Status& status) {
  server->SetReady(status.ok());
  state->metrics.ready().Set(status.ok() && !draining ? 1 : 0);
  if (health != nullptr) health->SetReady(status.ok());
  if (http_server != nullptr) http_server->SetReady(status.ok());
  if (!status.ok()) {
    state->environment.logger.Error("the store or the limits cannot serve; not ready until they can",
                                    {LogField::Key("error", status.ToString())});
  } else if (was_unready) {
    state->environment.logger.Info("the store serves again; ready");
  }
  was_unready = !status.ok();
}

absl::StatusOr<std::shared_ptr<grpc::TlsCredentials>> Application::Impl::MakeTls() {
  if (state->config.server().tls().certificate_file().empty()) return std::shared_ptr<grpc::TlsCredentials>();
  observability::Logger& logger = state->environment.logger;
  return grpc::TlsCredentials::Create(
      state->config.server().tls(), state->environment.clock, [&logger](const std::string& problem) {
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

absl::Status Application::Reload(const toolgate::config::v1::Config& config) {
  // Performs everything that can fail first, so that all of it is applied or nothing.
  ServiceState& state = *impl_->state;
  ASSIGN_OR_RETURN(std::shared_ptr<const core::Core> core, state.MakeCore(config));
  if (impl_->tls != nullptr) RETURN_IF_ERROR(impl_->tls->Reload());
  state.PutInForce(std::move(core), config);
  const std::vector<std::string> fixed = yaml::ChangedFixedSettings(state.config, config);
  if (!fixed.empty()) {
    state.environment.logger.Warning("some settings that changed need a restart",
                                     {{"settings", absl::StrJoin(fixed, ", ")}});
  }
  return absl::OkStatus();
}

absl::Status Application::Stop() {
  impl_->draining = true;
  impl_->state->decisions->Stop();
  impl_->state->metrics.ready().Set(0);
  if (impl_->health != nullptr) impl_->health->BeginDrain();
  absl::Status drained = impl_->Drain();
  const absl::Status flushed = impl_->state->audit_queue->Flush();
  if (!flushed.ok()) {
    impl_->state->environment.logger.Error("audit entries were lost at the end", {{"error", flushed.ToString()}});
  }
  impl_->state->traces->Flush();
  if (drained.ok() && !impl_->workers->Stop(kWorkersEnd)) {
    return absl::DeadlineExceededError("a worker still runs a call that is over");
  }
  return drained;
}

}  // namespace toolgate::services::app
