// The cap on open connections, which gRPC 1.51 does not have.
#ifndef TOOLGATE_SERVICES_GRPC_ACCEPTOR_CONNECTION_LIMITER_H_
#define TOOLGATE_SERVICES_GRPC_ACCEPTOR_CONNECTION_LIMITER_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "services/sockets/peer_shares.h"

namespace toolgate::services::grpc::acceptor {

// Counts connections that were handed to gRPC, which then owns their descriptors and does not say when it closes them.
// It remembers each one's descriptor number with the socket's inode, which the kernel gives to no other open socket: as
// long as fstat of the number still shows that inode, the connection is open. So a count can neither leak nor run low,
// whatever gRPC does, and gRPC's descriptors are only looked at. Closed connections are only looked for when the cap,
// or a peer's share of it, is reached. Thread-safe.
class ConnectionLimiter {
 public:
  explicit ConnectionLimiter(sockets::PeerShares::Options shares) : shares_(std::move(shares)) {}

  // Whether the connected socket `fd` may be served; if so it counts from now on until it is closed, by anyone.
  bool Admit(int fd);

  // Connections that are open now. Costs one fstat each.
  int Count() const;
  // Whether bytes have come or left on an open connection since this was last asked, the first time always. A Unix
  // socket counts no bytes, so only those are seen that wait in it. Costs a few system calls for each connection.
  bool HaveMoved();

 private:
  // Bytes of a connection so far.
  struct Traffic {
    uint64_t received = 0;
    uint64_t acknowledged = 0;
    int unread = 0;
    int unsent = 0;
    bool operator==(const Traffic&) const = default;
  };
  struct Connection {
    int fd;
    dev_t device;
    ino_t inode;
    sockets::Peer peer;
    std::optional<Traffic> traffic = std::nullopt;  // When HaveMoved was last asked.
  };
  static Traffic TrafficOf(int fd);
  static bool IsOpen(const Connection& connection);
  void ForgetClosed() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable sockets::PeerShares shares_;
  mutable absl::Mutex mutex_;
  mutable std::vector<Connection> connections_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::grpc::acceptor

#endif  // TOOLGATE_SERVICES_GRPC_ACCEPTOR_CONNECTION_LIMITER_H_
