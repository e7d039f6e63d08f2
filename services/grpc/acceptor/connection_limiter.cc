#include "services/grpc/acceptor/connection_limiter.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>

namespace toolgate::services::grpc::acceptor {
namespace {

// The kernel's tcp_info as far as it is of use here. The library's ends earlier, and linux/tcp.h excludes its header.
struct TcpInfo {
  tcp_info known;
  uint64_t pacing_rate;
  uint64_t max_pacing_rate;
  uint64_t bytes_acked;
  uint64_t bytes_received;
};
static_assert(offsetof(TcpInfo, bytes_received) == 128);

}  // namespace

bool ConnectionLimiter::IsOpen(const Connection& connection) {
  struct stat now {};
  return fstat(connection.fd, &now) == 0 && now.st_dev == connection.device && now.st_ino == connection.inode;
}

void ConnectionLimiter::ForgetClosed() const {
  const auto closed =
      std::partition(connections_.begin(), connections_.end(), [](const Connection& one) { return IsOpen(one); });
  std::for_each(closed, connections_.end(), [this](const Connection& one) { shares_.Leave(one.peer); });
  connections_.erase(closed, connections_.end());
}

ConnectionLimiter::Traffic ConnectionLimiter::TrafficOf(int fd) {
  Traffic traffic;
  TcpInfo info{};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0) {
    traffic.received = info.bytes_received;
    traffic.acknowledged = info.bytes_acked;
  }
  static_cast<void>(ioctl(fd, SIOCINQ, &traffic.unread));
  static_cast<void>(ioctl(fd, SIOCOUTQ, &traffic.unsent));
  return traffic;
}

bool ConnectionLimiter::HaveMoved() {
  absl::MutexLock lock(&mutex_);
  ForgetClosed();
  bool moved = false;
  for (Connection& connection : connections_) {
    const Traffic now = TrafficOf(connection.fd);
    moved = moved || connection.traffic != now;
    connection.traffic = now;
  }
  return moved;
}

bool ConnectionLimiter::Admit(int fd) {
  struct stat socket {};
  if (fstat(fd, &socket) != 0) return false;
  const sockets::Peer peer = sockets::Peer::OfSocket(fd);
  absl::MutexLock lock(&mutex_);
  if (!shares_.Enter(peer)) {
    ForgetClosed();
    if (!shares_.Enter(peer)) return false;
  }
  connections_.push_back({fd, socket.st_dev, socket.st_ino, peer});
  return true;
}

int ConnectionLimiter::Count() const {
  absl::MutexLock lock(&mutex_);
  ForgetClosed();
  return static_cast<int>(connections_.size());
}

}  // namespace toolgate::services::grpc::acceptor
