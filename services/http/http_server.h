// The HTTP listener: the API as JSON, and streams as server-sent events.
#ifndef TOOLGATE_SERVICES_HTTP_HTTP_SERVER_H_
#define TOOLGATE_SERVICES_HTTP_HTTP_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/wait_timer.h"
#include "common/fibers/worker_pool.h"
#include "services/api/api_runtime.h"
#include "services/http/microhttpd.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::http {

// Listens from Start to Shutdown, by libmicrohttpd with one thread for each address, which does nothing but read and
// write; calls run on the workers that gRPC's run on. Thread-safe, except for Shutdown, which is called once.
class HttpServer {
 public:
  // Parts of the service. All borrowed.
  struct Environment {
    api::ApiRuntime& shared;
    fibers::WorkerPool& workers;
    fibers::WaitTimer& waits;
  };

  // Listens on config.http().listen() and serves, with the certificate of server.tls on a TCP port if there is one, and
  // otherwise in plaintext on loopback addresses and Unix sockets only. Not ready until SetReady.
  // The errors of sockets::Listen and of LoadTlsMaterial; UNAVAILABLE when libmicrohttpd is not there or does not
  // start.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const toolgate::config::v1::Config& config,
                                                           const Environment& environment);

  // Shuts down without grace, unless Shutdown was called.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Address that a client dials: "127.0.0.1:8080" or "unix:/path".
  const std::string& address() const { return address_; }

  // Answer of GET /readyz.
  void SetReady(bool ready);
  // Not ready, for good, and new calls are refused; for the time before Shutdown.
  void BeginDrain();

  // Takes no connection and no call any more, lets running calls finish for `grace`, then cancels them and gives them
  // two more seconds. DEADLINE_EXCEEDED, with their number, when calls did not obey: their parts are kept for them, and
  // the process should end with std::_Exit.
  absl::Status Shutdown(absl::Duration grace);

 private:
  struct Impl;  // In the .cc.

  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;  // Null once shut down.
  std::string address_;
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_HTTP_SERVER_H_
