// HTTP listener for Prometheus.
#ifndef TOOLGATE_OBSERVABILITY_METRICS_SERVER_H_
#define TOOLGATE_OBSERVABILITY_METRICS_SERVER_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "prometheus/collectable.h"

namespace prometheus {
class Exposer;
}

namespace toolgate::observability {

// Serves GET /metrics on two threads until it is destroyed.
class MetricsServer {
 public:
  // Listens on `address`, "host:port" with "[…]" around an IPv6 address; port 0 chooses a free port. INVALID_ARGUMENT
  // for an invalid address, UNAVAILABLE with the reason if it cannot be bound.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(std::string_view address,
                                                              std::shared_ptr<prometheus::Collectable> metrics);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  int port() const { return port_; }
  // "host:port" with the actual port.
  const std::string& address() const { return address_; }

 private:
  struct Endpoint;

  MetricsServer(std::shared_ptr<prometheus::Collectable> metrics, std::unique_ptr<prometheus::Exposer> exposer,
                std::unique_ptr<Endpoint> endpoint);

  static absl::StatusOr<Endpoint> Resolve(std::string_view address);
  static std::string WhyNotBound(const Endpoint& endpoint);

  const std::shared_ptr<prometheus::Collectable> metrics_;
  std::unique_ptr<prometheus::Exposer> exposer_;
  const std::unique_ptr<Endpoint> endpoint_;
  const int port_;
  const std::string address_;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_METRICS_SERVER_H_
