// Parts that every request over HTTP shares.
#ifndef TOOLGATE_SERVICES_HTTP_HTTP_RUNTIME_H_
#define TOOLGATE_SERVICES_HTTP_HTTP_RUNTIME_H_

#include <cstdint>

#include "absl/time/time.h"
#include "common/fibers/wait_timer.h"
#include "common/fibers/worker_pool.h"
#include "services/api/api_runtime.h"
#include "services/http/connection_watch.h"
#include "services/http/exchange_registry.h"
#include "services/http/front_door.h"
#include "services/http/microhttpd.h"
#include "services/sockets/peer_shares.h"

namespace toolgate::services::http {

// Lives as long as the server and every exchange. Borrows what is not its own. Thread-safe.
struct HttpRuntime {
  api::ApiRuntime& shared;  // With every other transport.
  fibers::WorkerPool& workers;
  fibers::WaitTimer& waits;
  const Microhttpd& library;
  const int64_t max_body_bytes;
  const absl::Duration heartbeat_interval;
  FrontDoor door;
  sockets::PeerShares shares;
  ExchangeRegistry exchanges{};
  ConnectionWatch* watch = nullptr;  // Set before the first connection, as is the next.
  bool tls = false;
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_HTTP_RUNTIME_H_
