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
struct HealthListener::Parts {
  Parts(std::vector<std::string> names, std::unique_ptr<Acceptor> way_in)
      : health(calls, std::move(names)), door(std::move(way_in)) {}

  CallTracker calls;
  HealthService health;
  std::unique_ptr<::grpc::Server> server;
  std::unique_ptr<Acceptor> door;
};

absl::StatusOr<std::unique_ptr<HealthListener>> HealthListener::Start(const std::string& address,
                                                                      std::vector<std::string> readiness_names) {
  ASSIGN_OR_RETURN(std::unique_ptr<Acceptor> door, Acceptor::Listen(address, /*loopback_only=*/false, kMaxConnections));
  auto self = std::unique_ptr<HealthListener>(new HealthListener());
  self->address_ = sockets::DialAddress(address, door->port());
  self->parts_ = std::make_unique<Parts>(std::move(readiness_names), std::move(door));
  Parts& parts = *self->parts_;
  ::grpc::ServerBuilder builder;
  SetLimits(Limits(), kHealthMemoryQuotaBytes, builder);
  parts.door->Serve(builder, ::grpc::InsecureServerCredentials());
  builder.RegisterService(&parts.health);
  parts.server = builder.BuildAndStart();
  if (parts.server == nullptr) return absl::InternalError(absl::StrCat("cannot start gRPC on ", self->address_));
  parts.door->Start();
  return self;
}

HealthListener::~HealthListener() {
  if (parts_ == nullptr || parts_->server == nullptr) return;
  parts_->health.BeginDrain();
  parts_->door->Stop();
  parts_->calls.CancelAll();
  parts_->server->Shutdown(std::chrono::system_clock::now());
}

void HealthListener::SetReady(bool ready) { parts_->health.SetReady(ready); }

void HealthListener::BeginDrain() { parts_->health.BeginDrain(); }

}  // namespace toolgate::services::grpc
