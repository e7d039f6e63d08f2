// The gRPC server: its listener, its limits, the services that every gRPC server should have, and how it ends.
#ifndef TOOLGATE_SERVICES_GRPC_GRPC_SERVER_H_
#define TOOLGATE_SERVICES_GRPC_GRPC_SERVER_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/unknown_methods.h"
#include "toolgate/config/v1/config.pb.h"

namespace grpc {
class Service;
}

namespace toolgate::services::grpc {

// Listens from Start to Shutdown. Adds health (grpc.health.v1), and reflection (v1 and v1alpha) and channelz when the
// configuration says so. Thread-safe.
class GrpcServer {
 public:
  struct Options {
    // Callback services, borrowed until the server is destroyed.
    std::vector<::grpc::Service*> services;
    // Names that readiness probes ask for, for example "toolgate.v1.ToolService". NOT_SERVING until SetReady(true).
    std::vector<std::string> readiness_names;
    // Tracker of the services' reactors; borrowed. A drain ends the calls that it knows. Required.
    CallTracker* calls = nullptr;
    // Asked about a call of a method that no service has; null: such a call needs no credentials.
    UnknownMethods::Authenticate authenticate_unknown = nullptr;
    // Null: none. Then the server listens on loopback addresses and Unix sockets only.
    std::shared_ptr<::grpc::ServerCredentials> credentials;
  };

  // Listens on config.listen(), "host:port" or "unix:/path", and serves.
  // INVALID_ARGUMENT: the address cannot be understood, or is not local while there are no credentials.
  // ALREADY_EXISTS: another process listens there. PERMISSION_DENIED, UNAVAILABLE: the system refuses.
  // Every message names the address and what to do.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const config::v1::Server& config, Options options);

  // Shuts down without grace, unless Shutdown was called.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // Address that a client dials: "127.0.0.1:50051" or "unix:/path".
  const std::string& address() const { return address_; }
  // The bound port; 0 for a Unix socket.
  int port() const { return port_; }
  // Open connections; for metrics.
  int connections() const;

  // Sets the health of the readiness names. The liveness name "" is SERVING while the process lives.
  void SetReady(bool ready);

  // Ends the service: readiness says NOT_SERVING, no connection and no call is taken any more, running calls have
  // `grace` to finish, are then cancelled, and have two more seconds to obey. Blocks until all is over, from any thread
  // but gRPC's own; a second caller waits for the first and gets the same answer.
  //
  // DEADLINE_EXCEEDED, with their number, when calls did not obey. Those still use the services and whatever these use:
  // the server keeps its own parts until they end, and the process should flush what it must and end with std::_Exit.
  absl::Status Shutdown(absl::Duration grace);

 private:
  struct Impl;  // In the .cc: health, reflection, the acceptor, ::grpc::Server.

  GrpcServer() = default;
  absl::Status Drain(absl::Duration grace);
  // Waits until the server has ended, for `grace` at most. Closes connections of clients that do not leave.
  bool AwaitEnd(absl::Duration grace);

  std::string address_;
  int port_ = 0;
  CallTracker* calls_ = nullptr;
  // Shared with the thread that ends the server, which may outlive this object when calls do not end.
  std::shared_ptr<Impl> impl_;

  absl::Mutex mutex_;
  bool shutting_down_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> shutdown_result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_GRPC_SERVER_H_
