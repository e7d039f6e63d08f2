// Accepts connections and hands them to gRPC.
#ifndef TOOLGATE_SERVICES_RPC_ACCEPTOR_H_
#define TOOLGATE_SERVICES_RPC_ACCEPTOR_H_

#include <functional>
#include <thread>
#include <vector>

#include "services/rpc/connection_limiter.h"
#include "services/rpc/listening_socket.h"

namespace grpc::experimental {
class ExternalConnectionAcceptor;
}

namespace toolgate::services::rpc {

// One thread that waits on the listening sockets. A connection beyond the cap is closed at once, which a client sees as
// UNAVAILABLE and tries again later. Thread-compatible.
class Acceptor {
 public:
  // `hand_over` owns the descriptor that it is given; it runs on the acceptor's thread.
  using HandOver = std::function<void(int listening_fd, int fd)>;

  Acceptor(std::vector<ListeningSocket> sockets, int max_connections);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void Start(HandOver hand_over);
  // The same into a gRPC server, which must outlive this or Stop.
  void Start(grpc::experimental::ExternalConnectionAcceptor& door);
  // Accepts no more, closes the listening sockets and removes their files. Idempotent.
  void Stop();

  const std::vector<ListeningSocket>& sockets() const { return sockets_; }
  // Accepted connections that are still open. Thread-safe.
  int connections() const { return limiter_.Count(); }

 private:
  void Run();
  // Takes what waits at `socket`. False when the process is out of descriptors or memory.
  bool AcceptFrom(const ListeningSocket& socket);
  // Waits until Stop is called, at most `timeout_ms` (-1: for ever); true when it was.
  bool Stopped(int timeout_ms) const;

  std::vector<ListeningSocket> sockets_;
  ConnectionLimiter limiter_;
  HandOver hand_over_;
  int stop_event_ = -1;
  std::thread thread_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_ACCEPTOR_H_
