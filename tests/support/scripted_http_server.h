// An HTTP/1.1 server whose answers, and faults, a test provides.
#ifndef TOOLGATE_TESTS_SUPPORT_SCRIPTED_HTTP_SERVER_H_
#define TOOLGATE_TESTS_SUPPORT_SCRIPTED_HTTP_SERVER_H_

#include <openssl/types.h>

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/http/client.h"
#include "tests/support/certificates.h"

namespace toolgate::testing {

struct SeenRequest {
  std::string method;
  std::string path;                   // With its query, as it was sent.
  std::vector<http::Header> headers;  // Names in lower case, in order.
  std::string body;
  size_t connection = 0;  // Number of the connection that it came on, from 0.

  // First value of that name, in lower case; empty if there is none.
  std::string_view Find(std::string_view name) const;
};

// Without any other field: a response of status 200 with an empty body.
struct ScriptedReply {
  int status = 200;
  std::vector<http::Header> headers = {};
  std::string body = {};
  // Sent as chunks, instead of `body`.
  std::vector<std::string> chunks = {};
  // Called before each chunk, with its number from 0; may block until the test goes on.
  std::function<void(size_t chunk)> before_chunk = nullptr;
  // Sent as it is, instead of all of the above.
  std::string raw = {};
  // So many bytes "x" are the body, of no declared length.
  size_t endless_bytes = 0;
  // The connection is closed before the body's declared end.
  bool cut_off = false;
  // Nothing is sent, and the connection is closed.
  bool hang_up = false;
  // Nothing is sent, and the connection stays open.
  bool never_answer = false;
};

// Listens on a free port of 127.0.0.1, with one thread for each connection. Thread-safe. Destroying it closes all
// connections; `before_chunk` must not block any more by then.
class ScriptedHttpServer {
 public:
  // `answer` is called on the connections' threads, several at a time.
  using Answer = std::function<ScriptedReply(const SeenRequest& request)>;

  // Speaks TLS when there is a certificate.
  explicit ScriptedHttpServer(Answer answer, const IssuedCertificate* certificate = nullptr);
  ~ScriptedHttpServer();
  ScriptedHttpServer(const ScriptedHttpServer&) = delete;
  ScriptedHttpServer& operator=(const ScriptedHttpServer&) = delete;

  // "http://127.0.0.1:PORT", or https, without a slash at its end.
  std::string url() const;
  int port() const { return port_; }

  std::vector<SeenRequest> requests() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Connections that were accepted, and those of them that are still open.
  size_t connections() const ABSL_LOCKS_EXCLUDED(mutex_);
  size_t open_connections() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns as soon as all connections are closed; false when that takes longer than a minute.
  bool AwaitNoConnections() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns as soon as so many requests have come; false when that takes longer than a minute.
  bool AwaitRequests(size_t count) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Connection;

  void Listen();
  void Accept();
  void Serve(Connection& connection);
  bool Reply(Connection& connection, const ScriptedReply& reply);

  const Answer answer_;
  const std::shared_ptr<SSL_CTX> tls_;  // Null: plaintext.
  int listener_ = -1;
  int port_ = 0;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  size_t open_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<SeenRequest> requests_ ABSL_GUARDED_BY(mutex_);
  std::list<std::unique_ptr<Connection>> connections_ ABSL_GUARDED_BY(mutex_);
  std::thread acceptor_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SCRIPTED_HTTP_SERVER_H_
