// A Redis server.
#ifndef TOOLGATE_COMMON_REDIS_CLIENT_H_
#define TOOLGATE_COMMON_REDIS_CLIENT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "common/net/socket_watch.h"
#include "common/net/stream.h"
#include "common/net/tls_client.h"
#include "common/redis/reply.h"

namespace toolgate::redis {

// A script that Redis runs whole. Static.
struct Script {
  std::string_view text;
  std::string_view name;  // For messages.
};

// A run of a script: its keys, all in one slot of a cluster, and its other arguments.
struct ScriptRun {
  std::vector<std::string> keys;
  std::vector<std::string> arguments;
};

// Connections to one server, which callers share. A fiber that waits holds no thread. Thread-safe.
//
// Errors: UNAVAILABLE if the server cannot be reached, does not reply in time or refuses a command; then it is unknown
// whether it has done what it was asked, and nothing is asked again.
class Client {
 public:
  struct Options {
    net::Target target;  // Its TLS is set by Create.
    bool uses_tls = false;
    net::TlsFiles tls;
    std::string user;  // Empty: the default one.
    // Read for each connection. Null: none.
    std::function<absl::StatusOr<std::string>()> read_password = nullptr;
    absl::Duration timeout;  // Of an exchange with the server, with connecting.
    size_t max_idle = 32;    // Connections that are kept while no one uses them.
  };

  // Connects to nothing yet. INVALID_ARGUMENT if a file of TLS cannot be used.
  static absl::StatusOr<std::unique_ptr<Client>> Create(Options options);
  ~Client();

  // Sends all commands at once, and returns their replies in order. An error of a command is its reply.
  absl::StatusOr<std::vector<Reply>> Run(absl::Span<const Command> commands);
  // Sends all runs at once, with the script's text where the server does not know it yet. An error of a run is the
  // result's.
  absl::StatusOr<std::vector<Reply>> RunScript(const Script& script, absl::Span<const ScriptRun> runs);
  // OK if the server replies, and never evicts keys: limits would be forgotten.
  absl::Status CheckHealth();

 private:
  struct Connection {
    std::unique_ptr<net::Stream> stream;
    ReplyReader replies;
  };

  Client(Options options, net::TlsContext tls, std::unique_ptr<net::SocketWatch> sockets);

  absl::StatusOr<std::unique_ptr<Connection>> Open(const net::Stream::Patience& patience);
  std::unique_ptr<Connection> PopIdle() ABSL_LOCKS_EXCLUDED(mutex_);
  void Keep(std::unique_ptr<Connection> connection) ABSL_LOCKS_EXCLUDED(mutex_);
  static absl::StatusOr<std::vector<Reply>> Exchange(Connection& connection, absl::Span<const Command> commands,
                                                     const net::Stream::Patience& patience);

  const Options options_;
  const net::TlsContext tls_;
  const std::unique_ptr<net::SocketWatch> sockets_;
  fibers::WaitTimer timer_;
  const fibers::Cancellation never_;  // Exchanges are short: a call that ends waits for its own.
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ ABSL_GUARDED_BY(mutex_);  // The last one used is taken first.
};

}  // namespace toolgate::redis

#endif  // TOOLGATE_COMMON_REDIS_CLIENT_H_
