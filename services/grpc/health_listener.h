// A listener that answers health and nothing else.
#ifndef TOOLGATE_SERVICES_GRPC_HEALTH_LISTENER_H_
#define TOOLGATE_SERVICES_GRPC_HEALTH_LISTENER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::services::grpc {

// For probes that speak no TLS while the main listener wants certificates. Plaintext on any address, since all that it
// tells is whether the service is up; every other RPC is UNIMPLEMENTED. Few connections, small messages. Thread-safe.
class HealthListener {
 public:
  // Serves `readiness_names` and "" on `address`, "host:port" or "unix:/path". The errors of Acceptor::Listen.
  static absl::StatusOr<std::unique_ptr<HealthListener>> Start(const std::string& address,
                                                               std::vector<std::string> readiness_names);
  ~HealthListener();
  HealthListener(const HealthListener&) = delete;
  HealthListener& operator=(const HealthListener&) = delete;

  // Address that a client dials.
  const std::string& address() const { return address_; }

  void SetReady(bool ready);
  // Not ready from now on, whatever SetReady says; answers go on until the listener is destroyed.
  void BeginDrain();

 private:
  struct Impl;
  HealthListener() = default;

  std::string address_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_HEALTH_LISTENER_H_
