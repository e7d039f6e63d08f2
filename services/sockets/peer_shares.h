// Shares of a listener's connections.
#ifndef TOOLGATE_SERVICES_SOCKETS_PEER_SHARES_H_
#define TOOLGATE_SERVICES_SOCKETS_PEER_SHARES_H_

#include <sys/socket.h>

#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "common/ip_network.h"

namespace toolgate::services::sockets {

// Whom a connection is counted for: an IPv4 address, or an IPv6 network of 64 bits, since a client with one address of
// such a network has them all. A Unix socket's clients have no addresses.
struct Peer {
  IpAddress address{};
  bool has_address = false;

  // Nothing known of `address` (null, another family): a peer without an address.
  static Peer Of(const sockaddr* address);
  // Of the other end of the connected socket `fd`.
  static Peer OfSocket(int fd);

  bool operator==(const Peer&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const Peer& peer) {
    return H::combine(std::move(hash), peer.address, peer.has_address);
  }
};

// Keeps some peers from holding all connections that a listener takes: a peer may open a further one while it holds
// less than a fourth of what is still free, and its first few in any case. So a single peer holds a fifth of all, and
// however many come, each leaves more free than it takes. No number to set, and none to be outgrown. Thread-safe.
class PeerShares {
 public:
  // Connections that a peer may have whatever others have, as long as there is room.
  static constexpr int kFirstFew = 4;

  struct Options {
    int max_connections = 0;
    int max_per_peer = 0;              // 0: no bound besides the share.
    std::vector<IpNetwork> trusted{};  // Fronts that many clients come through: no share, and no max_per_peer.
  };

  explicit PeerShares(Options options) : options_(std::move(options)) {}

  // Counts a connection of `peer`; false, and nothing counted, when it may have no more.
  [[nodiscard]] bool Enter(const Peer& peer) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends a connection that was counted.
  void Leave(const Peer& peer) ABSL_LOCKS_EXCLUDED(mutex_);

  int connections() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool MayEnter(int held) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsShared(const Peer& peer) const;

  const Options options_;
  mutable absl::Mutex mutex_;
  int connections_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<Peer, int> held_ ABSL_GUARDED_BY(mutex_);  // Those with at least one.
};

}  // namespace toolgate::services::sockets

#endif  // TOOLGATE_SERVICES_SOCKETS_PEER_SHARES_H_
