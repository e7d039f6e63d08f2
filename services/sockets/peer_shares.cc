#include "services/sockets/peer_shares.h"

#include <netinet/in.h>

#include <algorithm>

namespace toolgate::services::sockets {
namespace {

constexpr int kIpv6NetworkBits = 64;  // That tell peers apart.

}  // namespace

Peer Peer::Of(const sockaddr* address) {
  Peer peer;
  if (address == nullptr) return peer;
  if (address->sa_family == AF_INET) {
    peer.address = ToIpAddress(reinterpret_cast<const sockaddr_in*>(address)->sin_addr);
    peer.has_address = true;
  } else if (address->sa_family == AF_INET6) {
    peer.address = ToIpAddress(reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
    if (!IsIpv4(peer.address)) std::fill(peer.address.begin() + kIpv6NetworkBits / 8, peer.address.end(), 0);
    peer.has_address = true;
  }
  return peer;
}

Peer Peer::OfSocket(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return Peer();
  return Of(reinterpret_cast<const sockaddr*>(&address));
}

bool PeerShares::Enter(const Peer& peer) {
  absl::MutexLock lock(&mutex_);
  if (connections_ >= options_.max_connections) return false;
  if (IsShared(peer)) {
    const auto found = held_.find(peer);
    if (!MayEnter(found == held_.end() ? 0 : found->second)) return false;
    ++held_[peer];
  }
  ++connections_;
  return true;
}

bool PeerShares::MayEnter(int held) const {
  if (options_.max_per_peer > 0 && held >= options_.max_per_peer) return false;
  return held < kFirstFew || held < (options_.max_connections - connections_) / 4;
}

bool PeerShares::IsShared(const Peer& peer) const {
  if (!peer.has_address) return false;
  const int known_bits = IsIpv4(peer.address) ? 128 : kIpv6NetworkBits;
  return std::none_of(options_.trusted.begin(), options_.trusted.end(),
                      [&](const IpNetwork& network) { return network.Contains(peer.address, known_bits); });
}

void PeerShares::Leave(const Peer& peer) {
  absl::MutexLock lock(&mutex_);
  --connections_;
  const auto found = held_.find(peer);
  if (found != held_.end() && --found->second == 0) held_.erase(found);
}

int PeerShares::connections() const {
  absl::MutexLock lock(&mutex_);
  return connections_;
}

}  // namespace toolgate::services::sockets
