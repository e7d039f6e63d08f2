#include "services/grpc/health_listener.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "services/grpc/acceptor/acceptor.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/health_service.h"
#include "services/grpc/server_limits.h"
#include "services/sockets/listening_socket.h"

namespace toolgate::services::grpc {
namespace {

using acceptor::Acceptor;

// Probes are few and small.
constexpr int kMaxConnections = 64;
constexpr size_t kHealthMemoryQuotaBytes = size_t{16} << 20;

config::v1::Server Limits() {
  config::v1::Server limits;
  limits.set_max_message_bytes(1024);
  limits.set_max_metadata_bytes(4096);
  limits.set_max_streams_per_connection(16);
  limits.set_channelz(false);
  return limits;
}

}  // namespace

// Members are destroyed from the last to the first: the acceptor and the server before the service they call.
struct HealthListener::Impl {
  Impl(std::vector<std::string> names, std::unique_ptr<Acceptor> way_in)
      : health(calls, std::move(names)), door(std::move(way_in)) {}

  CallTracker calls;
  HealthService health;
  std::unique_ptr<::grpc::Server> server;
  std::unique_ptr<Acceptor> door;
};

absl::StatusOr<std::unique_ptr<HealthListener>> HealthListener::Start(const std::string& address,
                                                                      std::vector<std::string> readiness_names) {
  ASSIGN_OR_RETURN(std::unique_ptr<Acceptor> door,
                   Acceptor::Listen(address, /*loopback_only=*/false, {.max_connections = kMaxConnections}));
  auto self = std::unique_ptr<HealthListener>(new HealthListener());
  self->address_ = sockets::DialAddress(address, door->port());
  self->impl_ = std::make_unique<Impl>(std::move(readiness_names), std::move(door));
  Impl& impl = *self->impl_;
  ::grpc::ServerBuilder builder;
  const config::v1::Server limits = Limits();
  SetLimits(limits, kHealthMemoryQuotaBytes, builder);
  impl.door->ServePlaintext(builder, {limits.max_streams_per_connection(), limits.max_metadata_bytes()});
  builder.RegisterService(&impl.health);
  impl.server = builder.BuildAndStart();
  if (impl.server == nullptr) return absl::InternalError(absl::StrCat("cannot start gRPC on ", self->address_));
  impl.door->Start();
  return self;
}

HealthListener::~HealthListener() {
  if (impl_ == nullptr || impl_->server == nullptr) return;
  impl_->health.BeginDrain();
  impl_->door->Stop();
  impl_->calls.CancelAll();
  impl_->server->Shutdown(std::chrono::system_clock::now());
}

void HealthListener::SetReady(bool ready) { impl_->health.SetReady(ready); }

void HealthListener::BeginDrain() { impl_->health.BeginDrain(); }

}  // namespace toolgate::services::grpc
