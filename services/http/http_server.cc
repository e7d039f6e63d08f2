#include "services/http/http_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/descriptor.h"
#include "common/ip_network.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "security/identity/identity_factory.h"
#include "security/identity/tls_material.h"
#include "services/http/connection_watch.h"
#include "services/http/daemon.h"
#include "services/http/exchange.h"
#include "services/http/http_runtime.h"
#include "services/sockets/listening_socket.h"
#include "services/sockets/peer_shares.h"

namespace toolgate::services::http {
namespace {

using security::identity::TlsMaterial;

// Time that cancelled calls have to end before Shutdown gives up on them.
constexpr absl::Duration kCancelGrace = absl::Seconds(2);
// Once no call has run for so long, a drain closes the connections whose request is not complete, and does not come.
constexpr absl::Duration kQuiet = absl::Milliseconds(500);
constexpr absl::Duration kQuietStep = absl::Milliseconds(50);

OriginRules::Options OriginsOf(const toolgate::config::v1::Config& config, bool tcp) {
  OriginRules::Options options;
  options.origins.assign(config.http().allowed_origins().begin(), config.http().allowed_origins().end());
  options.hosts.assign(config.http().allowed_hosts().begin(), config.http().allowed_hosts().end());
  options.check_host = tcp && !security::identity::TakesCredentials(config.identity());
  return options;
}

ConnectionWatch::Limits LimitsOf(const toolgate::config::v1::Http& config) {
  return {FromProtoDuration(config.head_timeout()), FromProtoDuration(config.idle_timeout()),
          FromProtoDuration(config.request_timeout())};
}

Daemon::Options DaemonOptions(const toolgate::config::v1::Http& config, const TlsMaterial& tls, int fd) {
  Daemon::Options options;
  options.fd = fd;
  options.max_connections = config.max_connections();
  options.max_header_bytes = config.max_header_bytes();
  options.idle_timeout = FromProtoDuration(config.idle_timeout());
  options.certificate = tls.certificate;
  options.private_key = tls.private_key;
  return options;
}

absl::StatusOr<sockets::PeerShares::Options> SharesOf(const toolgate::config::v1::Config& config) {
  sockets::PeerShares::Options shares;
  shares.max_connections = config.http().max_connections();
  shares.max_per_peer = config.http().max_connections_per_address();
  ASSIGN_OR_RETURN(shares.trusted, ParseNetworks(config.server().trusted_fronts()));
  return shares;
}

// Nothing when the listener speaks no TLS: on a Unix socket, and where the service has no certificate.
absl::StatusOr<TlsMaterial> MaterialOf(const toolgate::config::v1::Config& config, bool tcp, absl::Time now) {
  if (!tcp || config.server().tls().certificate_file().empty()) return TlsMaterial();
  return security::identity::LoadTlsMaterial(config.server().tls(), now);
}

}  // namespace

// Members are destroyed from the last to the first: daemons before what their threads use.
struct HttpServer::Impl {
  Impl(const Environment& environment, const Microhttpd& library, const toolgate::config::v1::Config& config, bool tcp,
       sockets::PeerShares::Options shares)
      : runtime{environment.shared,
                environment.workers,
                environment.waits,
                library,
                config.http().max_body_bytes(),
                FromProtoDuration(config.http().heartbeat_interval()),
                FrontDoor(OriginsOf(config, tcp), {config.http().max_body_bytes(), config.http().max_header_bytes()}),
                sockets::PeerShares(std::move(shares))} {}

  void Beat() {
    for (const std::shared_ptr<Exchange>& exchange : runtime.exchanges.All()) exchange->Beat();
  }
  int64_t CountWorking() const {
    const auto all = runtime.exchanges.All();
    return std::count_if(all.begin(), all.end(), [](const auto& exchange) { return exchange->working(); });
  }

  // False when requests are left after `grace`.
  bool AwaitEnd(absl::Duration grace) {
    absl::Duration quiet;
    for (absl::Duration left = grace; left > absl::ZeroDuration(); left -= kQuietStep) {
      const absl::Duration step = std::min(left, kQuietStep);
      if (runtime.exchanges.AwaitNone(step)) return true;
      quiet = CountWorking() == 0 ? quiet + step : absl::ZeroDuration();
      if (quiet >= kQuiet) watch->CloseIncomplete(kQuiet);
    }
    return runtime.exchanges.AwaitNone(absl::ZeroDuration());
  }

  HttpRuntime runtime;
  std::unique_ptr<ConnectionWatch> watch;
  std::vector<sockets::ListeningSocket> sockets;
  std::vector<toolgate::Descriptor> descriptors;  // Duplicates of the listening sockets'.
  std::vector<std::unique_ptr<Daemon>> daemons;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const toolgate::config::v1::Config& config,
                                                              const Environment& environment) {
  const toolgate::config::v1::Http& http = config.http();
  const bool tcp = !http.listen().starts_with("unix:");
  ASSIGN_OR_RETURN(const Microhttpd* const library, Microhttpd::Load());
  ASSIGN_OR_RETURN(const TlsMaterial tls, MaterialOf(config, tcp, environment.shared.clock.Now()));
  ASSIGN_OR_RETURN(sockets::PeerShares::Options shares, SharesOf(config));
  auto impl = std::make_unique<Impl>(environment, *library, config, tcp, std::move(shares));
  ASSIGN_OR_RETURN(impl->sockets, sockets::Listen(http.listen(), /*loopback_only=*/tls.certificate.empty()));
  ASSIGN_OR_RETURN(impl->watch, ConnectionWatch::Start(environment.shared.clock, LimitsOf(http),
                                                       [raw = impl.get()] { raw->Beat(); }));
  impl->runtime.watch = impl->watch.get();
  impl->runtime.tls = !tls.certificate.empty();
  for (const sockets::ListeningSocket& socket : impl->sockets) {
    const int fd = impl->descriptors.emplace_back(fcntl(socket.fd(), F_DUPFD_CLOEXEC, 0)).get();
    ASSIGN_OR_RETURN(std::unique_ptr<Daemon> daemon, Daemon::Start(impl->runtime, DaemonOptions(http, tls, fd)));
    impl->daemons.push_back(std::move(daemon));
  }
  const int port = impl->sockets.front().port();
  auto self = absl::WrapUnique(new HttpServer(std::move(impl)));
  self->address_ = sockets::DialAddress(http.listen(), port);
  return self;
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  if (impl_ != nullptr) Shutdown(absl::ZeroDuration()).IgnoreError();
}

void HttpServer::SetReady(bool ready) {
  if (impl_ != nullptr) impl_->runtime.door.SetReady(ready);
}

void HttpServer::BeginDrain() {
  if (impl_ != nullptr) impl_->runtime.door.BeginDrain();
}

absl::Status HttpServer::Shutdown(absl::Duration grace) {
  BeginDrain();
  for (const auto& daemon : impl_->daemons) daemon->Quiesce();
  impl_->sockets.clear();
  impl_->watch->BeginDrain();
  if (!impl_->AwaitEnd(grace)) {
    for (const auto& exchange : impl_->runtime.exchanges.All()) exchange->Cancel();
    static_cast<void>(impl_->runtime.exchanges.AwaitNone(kCancelGrace));
  }
  const int64_t stuck = impl_->CountWorking();
  if (stuck > 0) {
    static_cast<void>(impl_.release());  // The calls still use it.
    return absl::DeadlineExceededError(absl::StrCat(stuck, " calls over HTTP did not end within ",
                                                    absl::FormatDuration(kCancelGrace), " of being cancelled"));
  }
  impl_.reset();
  return absl::OkStatus();
}

}  // namespace toolgate::services::http
