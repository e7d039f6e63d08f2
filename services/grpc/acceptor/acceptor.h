// Accepts connections up to a cap, and hands them to a gRPC server.
//
// gRPC 1.51 has no cap on connections. So this folder listens, accepts and counts, and gives gRPC the descriptors
// through an experimental interface. Nothing outside of the folder knows of either. It also sees to it that gRPC's
// limits hold on plaintext connections (settings_gate.h).
//
// A gRPC with the channel argument GRPC_ARG_MAX_ALLOWED_INCOMING_CONNECTIONS, whose limits hold before SETTINGS are
// acknowledged, lets the folder go:
//   - SetLimits (services/grpc/server_limits.cc) sets the argument to the cap.
//   - GrpcServer::Start and HealthListener::Start call ServerBuilder::AddListeningPort instead of Acceptor::Listen,
//     Serve and Start; their Acceptor::Stop goes, since grpc::Server::Shutdown closes the port.
//   - GrpcServer::connections goes; only tests of the cap ask for it.
// Before services/sockets goes from here, make sure that gRPC still says why it cannot listen, and leaves the socket
// file of a server that lives.
#ifndef TOOLGATE_SERVICES_GRPC_ACCEPTOR_ACCEPTOR_H_
#define TOOLGATE_SERVICES_GRPC_ACCEPTOR_ACCEPTOR_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "services/grpc/acceptor/connection_limiter.h"
#include "services/grpc/acceptor/settings_gate.h"
#include "services/sockets/listening_socket.h"
#include "services/sockets/peer_shares.h"

namespace toolgate::services::grpc::acceptor {

using sockets::ListeningSocket;

// One thread that waits on the listening sockets. A connection beyond the cap, or its peer's share of it, is closed at
// once, which a client sees as UNAVAILABLE and tries again later. Thread-compatible.
class Acceptor {
 public:
  // Listens on `address`, but accepts nothing yet. The errors of sockets::Listen.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Listen(std::string_view address, bool loopback_only,
                                                          sockets::PeerShares::Options shares);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Makes this the way into the server that `builder` builds. Once, before BuildAndStart.
  void Serve(::grpc::ServerBuilder& builder, std::shared_ptr<::grpc::ServerCredentials> credentials);
  // The same without credentials. A connection reaches gRPC once its client has acknowledged SETTINGS with `limits`,
  // which are those of the builder.
  void ServePlaintext(::grpc::ServerBuilder& builder, const SettingsGate::Limits& limits);
  // Begins to accept. Once, after BuildAndStart; the server must outlive this or Stop.
  void Start();
  // Accepts no more, closes the listening sockets and removes their files. Idempotent.
  void Stop();

  // The bound port; 0 for a Unix socket.
  int port() const { return port_; }
  // Accepted connections that are still open. Thread-safe.
  int connections() const { return limiter_.Count(); }
  // Whether bytes have come or left on one of them since this was last asked. Thread-safe.
  bool HaveMoved() { return limiter_.HaveMoved(); }

 private:
  Acceptor(std::vector<ListeningSocket> sockets, sockets::PeerShares::Options shares);

  void Run();
  // Takes what waits at `socket`. False when the process is out of descriptors or memory.
  bool AcceptFrom(const ListeningSocket& socket);
  // Gives a connection to gRPC, which owns its descriptor from then on.
  void HandOver(const SettingsGate::Passed& connection);
  // Waits until Stop is called, at most `timeout_ms` (-1: for ever); true when it was.
  bool Stopped(int timeout_ms) const;

  std::vector<ListeningSocket> sockets_;
  const int port_;
  ConnectionLimiter limiter_;
  std::unique_ptr<::grpc::experimental::ExternalConnectionAcceptor> door_;  // Into the server, since Serve.
  std::optional<SettingsGate> gate_;                                        // Of plaintext connections.
  int stop_event_ = -1;
  std::thread thread_;
};

}  // namespace toolgate::services::grpc::acceptor

#endif  // TOOLGATE_SERVICES_GRPC_ACCEPTOR_ACCEPTOR_H_
