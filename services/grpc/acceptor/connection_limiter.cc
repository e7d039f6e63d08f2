#include "services/grpc/acceptor/connection_limiter.h"

#include <sys/stat.h>

#include <algorithm>

namespace toolgate::services::grpc::acceptor {

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
