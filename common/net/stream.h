// Bytes to and from a server.
#ifndef TOOLGATE_COMMON_NET_STREAM_H_
#define TOOLGATE_COMMON_NET_STREAM_H_

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"
#include "common/net/socket_watch.h"
#include "common/openssl_ptr.h"

namespace toolgate::net {

// The address of a server.
struct Target {
  std::string host;        // A name or an address,
  uint16_t port = 0;       // and its port;
  std::string unix_path;   // or the path of a Unix socket.
  SSL_CTX* tls = nullptr;  // Borrowed. Null: no TLS.

  std::string ToText() const;
};

// A connection that does not block: a fiber that waits for it holds no thread. Only to find the address of a name, it
// blocks. Used by one thread or fiber at a time.
//
// Errors: UNAVAILABLE, naming the server, once the connection is of no more use; or the call's own error when that ends
// first.
class Stream {
 public:
  // Needs of a wait; borrowed. The timer is on the real clock.
  struct Waits {
    SocketWatch& sockets;
    fibers::WaitTimer& timer;
  };
  // Bounds of a wait: the call, and a reading of the real Clock::Monotonic.
  struct Patience {
    const fibers::Cancellation& call;
    absl::Duration until;
  };

  static absl::StatusOr<std::unique_ptr<Stream>> Connect(const Target& target, const Waits& waits,
                                                         const Patience& patience);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Writes all of it.
  absl::Status Write(std::string_view bytes, const Patience& patience);
  // Reads what is there, one byte at least. Returns the number of bytes.
  absl::StatusOr<size_t> Read(absl::Span<char> to, const Patience& patience);
  // Whether the server has closed it, or has said something while nothing was asked of it. Does not wait.
  bool IsStale() const;

 private:
  using Tls = std::unique_ptr<SSL, OpensslDeleter<SSL_free>>;

  Stream(std::string place, const Waits& waits, int fd);

  absl::Status Handshake(const Target& target, const Patience& patience);
  absl::Status Await(bool write, const Patience& patience);
  // After an operation of TLS that returned `result`: waits for what it needs.
  absl::Status AwaitTls(int result, const Patience& patience);
  absl::Status Lost(std::string_view why) const;

  const std::string place_;
  const Waits waits_;
  const int fd_;
  fibers::Event event_;
  std::unique_ptr<SocketWatch::Socket> socket_;
  Tls tls_;
};

}  // namespace toolgate::net

#endif  // TOOLGATE_COMMON_NET_STREAM_H_
