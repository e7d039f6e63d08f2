#include "observability/metrics_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "prometheus/exposer.h"

namespace toolgate::observability {
struct MetricsServer::Endpoint {
  std::string host;  // Numeric. IPv4: Debian builds the HTTP library without IPv6.
  int port = 0;
  sockaddr_storage address = {};
  socklen_t length = 0;

  // Opens one connection to `bound_port` of the host, and closes it.
  void Connect(int bound_port) const {
    sockaddr_storage target = address;
    const in_port_t wire_port = htons(static_cast<uint16_t>(bound_port));
    reinterpret_cast<sockaddr_in*>(&target)->sin_port = wire_port;
    const int fd = socket(target.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return;
    static_cast<void>(
        connect(fd, reinterpret_cast<const sockaddr*>(&target), length));  // A connection attempt is enough.
    close(fd);
  }
};

absl::StatusOr<MetricsServer::Endpoint> MetricsServer::Resolve(std::string_view address) {
  const auto invalid = [&](std::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("metrics address \"", ToAbsl(address), "\" ", ToAbsl(why),
                                                   "; write host:port, for example 127.0.0.1:9464"));
  };
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return invalid("has no port");
  Endpoint endpoint;
  if (!absl::SimpleAtoi(ToAbsl(address.substr(colon + 1)), &endpoint.port) || endpoint.port < 0 ||
      endpoint.port > 65535) {
    return invalid("has a port that is not a number from 0 to 65535");
  }
  std::string host(address.substr(0, colon));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return invalid("is an IPv6 address, and metrics are served over IPv4 only");
  }
  if (host.empty() || host.find(':') != std::string::npos) return invalid("has no host");

  addrinfo hints = {};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = absl::StrCat(endpoint.port);
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return invalid("names a host that is not known");
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  std::memcpy(&endpoint.address, found->ai_addr, found->ai_addrlen);
  endpoint.length = found->ai_addrlen;
  char numeric[NI_MAXHOST];
  if (getnameinfo(found->ai_addr, found->ai_addrlen, numeric, sizeof(numeric), nullptr, 0, NI_NUMERICHOST) != 0) {
    return invalid("names a host that is not known");
  }
  endpoint.host = numeric;
  return endpoint;
}

// The HTTP library only reports that it could not bind; the system knows the reason.
std::string MetricsServer::WhyNotBound(const Endpoint& endpoint) {
  const int fd = socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::strerror(errno);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool bound =
      bind(fd, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.length) == 0 && listen(fd, 1) == 0;
  const int error = errno;
  close(fd);
  if (bound) return "cannot be listened on";
  if (error == EADDRINUSE)
    return "is in use by another process; choose another one or set metrics_listen to \"\" to turn it off";
  if (error == EACCES) return "may not be used by this user; choose a port above 1023";
  if (error == EADDRNOTAVAIL) return "is not an address of this machine";
  return absl::StrCat("cannot be listened on: ", std::strerror(error));
}

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(std::string_view address,
                                                                    std::shared_ptr<prometheus::Collectable> metrics) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, Resolve(address));
  const std::string numeric = absl::StrCat(endpoint.host, ":", endpoint.port);
  try {
    auto exposer = std::make_unique<prometheus::Exposer>(
        std::vector<std::string>{"listening_ports", numeric, "num_threads", "2", "request_timeout_ms", "5000"});
    exposer->RegisterCollectable(metrics);
    return std::unique_ptr<MetricsServer>(
        new MetricsServer(std::move(metrics), std::move(exposer), std::make_unique<Endpoint>(endpoint)));
  } catch (const std::exception&) {
    return absl::UnavailableError(absl::StrCat("metrics address ", numeric, " ", WhyNotBound(endpoint)));
  }
}

MetricsServer::MetricsServer(std::shared_ptr<prometheus::Collectable> metrics,
                             std::unique_ptr<prometheus::Exposer> exposer, std::unique_ptr<Endpoint> endpoint)
    : metrics_(std::move(metrics)),
      exposer_(std::move(exposer)),
      endpoint_(std::move(endpoint)),
      port_(exposer_->GetListeningPorts().at(0)),
      address_(absl::StrCat(endpoint_->host, ":", port_)) {}

// The accepting thread of the HTTP library checks every two seconds, and on each connection, whether it should stop.
MetricsServer::~MetricsServer() {
  absl::Notification stopped;
  std::thread stopping([&] {
    exposer_.reset();
    stopped.Notify();
  });
  do {
    endpoint_->Connect(port_);
  } while (!stopped.WaitForNotificationWithTimeout(absl::Milliseconds(5)));
  stopping.join();
}

}  // namespace toolgate::observability
