#include "observability/metrics_server.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "prometheus/exposer.h"

namespace toolgate::observability {
namespace {

struct Endpoint {
  std::string host;  // Numeric, with brackets around IPv6.
  int port = 0;
  sockaddr_storage address = {};
  socklen_t length = 0;
};

absl::StatusOr<Endpoint> Resolve(std::string_view address) {
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
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || (!bracketed && host.find(':') != std::string::npos)) return invalid("has no host");

  addrinfo hints = {};
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
  endpoint.host = found->ai_family == AF_INET6 ? absl::StrCat("[", numeric, "]") : numeric;
  return endpoint;
}

// The HTTP library only says that it could not bind; ask the system why.
std::string WhyNotBound(const Endpoint& endpoint) {
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

}  // namespace

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(std::string_view address,
                                                                    std::shared_ptr<prometheus::Collectable> metrics) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, Resolve(address));
  const std::string numeric = absl::StrCat(endpoint.host, ":", endpoint.port);
  try {
    auto exposer =
        std::make_unique<prometheus::Exposer>(std::vector<std::string>{"listening_ports", numeric, "num_threads", "1"});
    exposer->RegisterCollectable(metrics);
    return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(metrics), std::move(exposer), endpoint.host));
  } catch (const std::exception&) {
    return absl::UnavailableError(absl::StrCat("metrics address ", numeric, " ", WhyNotBound(endpoint)));
  }
}

MetricsServer::MetricsServer(std::shared_ptr<prometheus::Collectable> metrics,
                             std::unique_ptr<prometheus::Exposer> exposer, std::string_view host)
    : metrics_(std::move(metrics)),
      exposer_(std::move(exposer)),
      port_(exposer_->GetListeningPorts().at(0)),
      address_(absl::StrCat(ToAbsl(host), ":", port_)) {}

MetricsServer::~MetricsServer() = default;

}  // namespace toolgate::observability
