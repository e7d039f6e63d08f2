#include "services/grpc/grpc_server.h"

#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/impl/server_initializer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/ip_network.h"
#include "common/status_macros.h"
#include "google/protobuf/descriptor.h"
#include "services/grpc/acceptor/acceptor.h"
#include "services/grpc/channelz_service.h"
#include "services/grpc/health_service.h"
#include "services/grpc/reflection.h"
#include "services/grpc/server_limits.h"
#include "services/sockets/listening_socket.h"
#include "services/sockets/peer_shares.h"

namespace toolgate::services::grpc {
namespace {

using acceptor::Acceptor;

// Memory for what connections buffer; beyond it gRPC first closes idle connections, then ends streams. It counts some
// 12 KiB for a connection and less than 5 KiB for a call, so 1,000 connections with 2,000 calls have room; but of a
// call full of headers, which holds 50 KiB, not much more.
constexpr size_t kMemoryQuotaBytes = size_t{48} << 20;
// Time that cancelled calls have to end before Shutdown gives up on them.
constexpr absl::Duration kCancelGrace = absl::Seconds(2);
// Once no call has run and no byte has moved for so long, a drain closes the connections that are left. Ample for a
// client that is awake to see the GOAWAY, and for calls that it sent before.
constexpr absl::Duration kQuiet = absl::Milliseconds(500);
constexpr absl::Duration kQuietStep = absl::Milliseconds(50);
// So that a deadline stays within what the system clock can express.
constexpr absl::Duration kLongestGrace = absl::Hours(24 * 365);

// Tells which services the server has once they are all registered.
class ServiceLister final : public ::grpc::ServerBuilderPlugin {
 public:
  explicit ServiceLister(ReflectionCatalog& catalog) : catalog_(catalog) {}
  std::string name() override { return "service_lister"; }
  void InitServer(::grpc::ServerInitializer*) override {}
  void Finish(::grpc::ServerInitializer* server) override {
    // The error details travel inside Any, so no service's file imports them.
    catalog_.SetServices(*server->GetServiceList(), {"google/rpc/error_details.proto", "google/rpc/status.proto"});
  }
  void ChangeArguments(const std::string&, void*) override {}

 private:
  ReflectionCatalog& catalog_;
};

class ListServicesOption final : public ::grpc::ServerBuilderOption {
 public:
  explicit ListServicesOption(ReflectionCatalog& catalog) : catalog_(catalog) {}
  void UpdateArguments(::grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<::grpc::ServerBuilderPlugin>>* plugins) override {
    plugins->push_back(std::make_unique<ServiceLister>(catalog_));
  }

 private:
  ReflectionCatalog& catalog_;
};

absl::StatusOr<sockets::PeerShares::Options> SharesOf(const config::v1::Server& config) {
  sockets::PeerShares::Options shares;
  shares.max_connections = config.max_connections();
  ASSIGN_OR_RETURN(shares.trusted, ParseNetworks(config.trusted_fronts()));
  return shares;
}

}  // namespace

// Members are destroyed from the last to the first: the server before the services it calls.
struct GrpcServer::Impl {
  Impl(CallTracker& calls, std::vector<std::string> readiness_names, UnknownMethods::Authenticate authenticate_unknown,
       std::unique_ptr<Acceptor> way_in)
      : health(calls, std::move(readiness_names)),
        unknown_methods(std::move(authenticate_unknown)),
        catalog(*google::protobuf::DescriptorPool::generated_pool()),
        reflection_v1(MakeReflectionServiceV1(catalog, calls)),
        reflection_v1alpha(MakeReflectionServiceV1Alpha(catalog, calls)),
        door(std::move(way_in)) {}

  HealthService health;
  UnknownMethods unknown_methods;
  ReflectionCatalog catalog;
  std::unique_ptr<::grpc::Service> reflection_v1;
  std::unique_ptr<::grpc::Service> reflection_v1alpha;
  ChannelzService channelz;
  std::unique_ptr<::grpc::Server> server;
  std::unique_ptr<Acceptor> door;
  absl::Notification server_ended;
};

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const config::v1::Server& config, Options options) {
  ASSIGN_OR_RETURN(sockets::PeerShares::Options shares, SharesOf(config));
  ASSIGN_OR_RETURN(std::unique_ptr<Acceptor> door,
                   Acceptor::Listen(config.listen(), options.credentials == nullptr, std::move(shares)));
  auto self = std::unique_ptr<GrpcServer>(new GrpcServer());
  self->port_ = door->port();
  self->address_ = sockets::DialAddress(config.listen(), self->port_);
  self->calls_ = options.calls;
  self->impl_ = std::make_shared<Impl>(*self->calls_, std::move(options.readiness_names),
                                       std::move(options.authenticate_unknown), std::move(door));
  Impl& impl = *self->impl_;

  ::grpc::ServerBuilder builder;
  SetLimits(config, kMemoryQuotaBytes, builder);
  if (options.credentials != nullptr) {
    impl.door->Serve(builder, options.credentials);
  } else {
    impl.door->ServePlaintext(builder, {config.max_streams_per_connection(), config.max_metadata_bytes()});
  }
  for (::grpc::Service* service : options.services) builder.RegisterService(service);
  builder.RegisterService(&impl.health);
  builder.RegisterCallbackGenericService(&impl.unknown_methods);
  if (config.channelz()) builder.RegisterService(&impl.channelz);
  if (config.reflection()) {
    builder.RegisterService(impl.reflection_v1.get());
    builder.RegisterService(impl.reflection_v1alpha.get());
    builder.SetOption(std::make_unique<ListServicesOption>(impl.catalog));
  }
  impl.server = builder.BuildAndStart();
  if (impl.server == nullptr) return absl::InternalError(absl::StrCat("cannot start gRPC on ", self->address_));
  impl.door->Start();
  return self;
}

GrpcServer::~GrpcServer() {
  if (impl_->server != nullptr) Shutdown(absl::ZeroDuration()).IgnoreError();
}

int GrpcServer::connections() const { return impl_->door->connections(); }

void GrpcServer::SetReady(bool ready) { impl_->health.SetReady(ready); }

absl::Status GrpcServer::Shutdown(absl::Duration grace) {
  {
    absl::MutexLock lock(&mutex_);
    if (std::exchange(shutting_down_, true)) {
      const auto ended = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return shutdown_result_.has_value(); };
      mutex_.Await(absl::Condition(&ended));
      return *shutdown_result_;
    }
  }
  absl::Status result = Drain(grace);
  absl::MutexLock lock(&mutex_);
  shutdown_result_ = result;
  return result;
}

absl::Status GrpcServer::Drain(absl::Duration grace) {
  impl_->health.BeginDrain();
  impl_->door->Stop();
  calls_->CancelOpenEnded();
  const auto deadline = std::chrono::system_clock::now() + absl::ToChronoMilliseconds(std::min(grace, kLongestGrace));
  // On a thread of its own, because it does not return while a call does not end.
  std::thread ender([impl = impl_, deadline] {
    impl->server->Shutdown(deadline);
    impl->server_ended.Notify();
  });
  bool ended = AwaitEnd(grace);
  if (!ended) {
    calls_->CancelAll();
    ended = impl_->server_ended.WaitForNotificationWithTimeout(kCancelGrace);
  }
  if (ended) {
    ender.join();
    return absl::OkStatus();
  }
  ender.detach();
  const int64_t stuck = calls_->count();
  return absl::DeadlineExceededError(
      absl::StrCat(stuck, " calls did not end within ", absl::FormatDuration(kCancelGrace), " of being cancelled"));
}

// gRPC waits for its clients to leave, and one that is suspended, or whose library looks at an idle connection every
// few seconds only, takes its time.
bool GrpcServer::AwaitEnd(absl::Duration grace) {
  absl::Duration quiet;
  for (absl::Duration left = grace; left > absl::ZeroDuration(); left -= kQuietStep) {
    const absl::Duration step = std::min(left, kQuietStep);
    if (impl_->server_ended.WaitForNotificationWithTimeout(step)) return true;
    // A call of one message is tracked once that has come. Before, its bytes tell of it.
    const bool is_busy = impl_->door->HaveMoved() || calls_->count() > 0;
    quiet = is_busy ? absl::ZeroDuration() : quiet + step;
    if (quiet < kQuiet) continue;
    // As gRPC itself does at the deadline of a shutdown.
    grpc_server_cancel_all_calls(impl_->server->c_server());
    quiet = absl::ZeroDuration();
  }
  return false;
}

}  // namespace toolgate::services::grpc
