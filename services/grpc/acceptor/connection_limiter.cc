#include "services/grpc/acceptor/connection_limiter.h"

#include <sys/stat.h>

#include <algorithm>

namespace toolgate::services::grpc::acceptor {

bool ConnectionLimiter::IsOpen(const Connection& connection) {
  struct stat now {};
  return fstat(connection.fd, &now) == 0 && now.st_dev == connection.device && now.st_ino == connection.inode;
}

void ConnectionLimiter::ForgetClosed() const {
  const auto closed = std::remove_if(connections_.begin(), connections_.end(),
                                     [](const Connection& connection) { return !IsOpen(connection); });
  connections_.erase(closed, connections_.end());
}

bool ConnectionLimiter::Admit(int fd) {
  struct stat socket {};
  if (fstat(fd, &socket) != 0) return false;
  absl::MutexLock lock(&mutex_);
  if (static_cast<int>(connections_.size()) >= max_) ForgetClosed();
  if (static_cast<int>(connections_.size()) >= max_) return false;
  connections_.push_back({fd, socket.st_dev, socket.st_ino});
  return true;
}

int ConnectionLimiter::Count() const {
  absl::MutexLock lock(&mutex_);
  ForgetClosed();
  return static_cast<int>(connections_.size());
}

}  // namespace toolgate::services::grpc::acceptor
