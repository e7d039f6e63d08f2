#include "services/rpc/health_listener.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "services/rpc/acceptor.h"
#include "services/rpc/call_tracker.h"
#include "services/rpc/health_service.h"
#include "services/rpc/listening_socket.h"
#include "services/rpc/server_limits.h"

namespace toolgate::services::rpc {
namespace {

// Probes are few and small.
constexpr int kMaxConnections = 64;
constexpr size_t kMemoryQuotaBytes = size_t{16} << 20;

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
  Parts(std::vector<std::string> names, std::vector<ListeningSocket> sockets)
      : health(calls, std::move(names)), acceptor(std::move(sockets), kMaxConnections) {}

  CallTracker calls;
  HealthService health;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> door;
  std::unique_ptr<grpc::Server> server;
  Acceptor acceptor;
};

absl::StatusOr<std::unique_ptr<HealthListener>> HealthListener::Start(const std::string& address,
                                                                      std::vector<std::string> readiness_names) {
  ASSIGN_OR_RETURN(std::vector<ListeningSocket> sockets, Listen(address, /*loopback_only=*/false));
  auto self = std::unique_ptr<HealthListener>(new HealthListener());
  self->address_ = DialAddress(address, sockets.front().port());
  self->parts_ = std::make_unique<Parts>(std::move(readiness_names), std::move(sockets));
  Parts& parts = *self->parts_;
  grpc::ServerBuilder builder;
  SetLimits(Limits(), kMemoryQuotaBytes, builder);
  parts.door = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, grpc::InsecureServerCredentials());
  builder.RegisterService(&parts.health);
  parts.server = builder.BuildAndStart();
  if (parts.server == nullptr) return absl::InternalError(absl::StrCat("cannot start gRPC on ", self->address_));
  parts.acceptor.Start(*parts.door);
  return self;
}

HealthListener::~HealthListener() {
  if (parts_ == nullptr || parts_->server == nullptr) return;
  parts_->health.BeginDrain();
  parts_->acceptor.Stop();
  parts_->calls.CancelAll();
  parts_->server->Shutdown(std::chrono::system_clock::now());
}

void HealthListener::SetReady(bool ready) { parts_->health.SetReady(ready); }

void HealthListener::BeginDrain() { parts_->health.BeginDrain(); }

}  // namespace toolgate::services::rpc
