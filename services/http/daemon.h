// One listening socket of libmicrohttpd, and the bridge between its callbacks and exchanges.
#ifndef TOOLGATE_SERVICES_HTTP_DAEMON_H_
#define TOOLGATE_SERVICES_HTTP_DAEMON_H_

#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "services/http/http_runtime.h"
#include "services/http/request_head.h"

namespace toolgate::services::http {

// Serves from Start until it is destroyed. Thread-compatible.
class Daemon {
 public:
  struct Options {
    int fd = -1;  // A listening socket; borrowed, and kept open until the daemon's end.
    int max_connections = 0;
    int64_t max_header_bytes = 0;
    absl::Duration idle_timeout;
    // PEM; empty: plaintext.
    std::string certificate;
    std::string private_key;
  };

  // Borrows `runtime`. UNAVAILABLE when the library does not start.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(HttpRuntime& runtime, Options options);
  // No exchange may be suspended: call it when no call runs any more. Connections are closed.
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Accepts no more connections.
  void Quiesce();

 private:
  struct Link;  // In the .cc: what is kept of a connection.

  Daemon(HttpRuntime& runtime, Options options) : runtime_(runtime), options_(std::move(options)) {}

  static MHD_Result OnRequest(void* self, MHD_Connection* connection, const char* path, const char* method,
                              const char* version, const char* data, size_t* size, void** exchange);
  static void OnCompleted(void* self, MHD_Connection* connection, void** exchange, MHD_RequestTerminationCode code);
  static void OnConnection(void* self, MHD_Connection* connection, void** context, MHD_ConnectionNotificationCode code);
  static void* OnTarget(void* self, const char* target, MHD_Connection* connection);
  static void OnLog(void* self, const char* format, va_list arguments);

  void Open(MHD_Connection& connection, void** link);
  RequestHead HeadOf(MHD_Connection& connection, const char* path, const char* method, const char* version) const;
  bool IsPlainHead(MHD_Connection& connection, const char* path, const char* method, const char* version) const;
  int FdOf(MHD_Connection& connection) const;
  const sockaddr* AddressOf(MHD_Connection& connection) const;
  Link& LinkOf(MHD_Connection& connection) const;

  HttpRuntime& runtime_;
  const Options options_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_DAEMON_H_
