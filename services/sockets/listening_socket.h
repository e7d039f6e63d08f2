// Sockets that listen, bound by ourselves: libraries would not say why they failed, and gRPC would delete a live
// server's socket file.
#ifndef TOOLGATE_SERVICES_SOCKETS_LISTENING_SOCKET_H_
#define TOOLGATE_SERVICES_SOCKETS_LISTENING_SOCKET_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::services::sockets {

// Owns a non-blocking listening socket and, for a Unix socket, its file, which it removes unless another server has put
// its own there. Not thread-safe.
class ListeningSocket {
 public:
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  int fd() const { return fd_; }
  // The bound port; 0 for a Unix socket.
  int port() const { return port_; }
  bool is_tcp() const { return path_.empty(); }

 private:
  friend class SocketBinder;
  ListeningSocket(int fd, int port) : fd_(fd), port_(port) {}
  ListeningSocket(int fd, std::string path, dev_t device, ino_t inode)
      : fd_(fd), path_(std::move(path)), device_(device), inode_(inode) {}

  int fd_ = -1;
  int port_ = 0;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Listens on `address`: "host:port", where a name may stand for several addresses and port 0 means any free one, or
// "unix:/path", whose file is usable by the process's own user only. The file that a dead server left is replaced.
// SO_REUSEPORT is off, so that two servers never share a port unawares.
//
// INVALID_ARGUMENT: not understood, or not a loopback address while `loopback_only`. ALREADY_EXISTS: somebody listens
// there, or the path is taken by something that is not a socket. PERMISSION_DENIED, UNAVAILABLE: the system refuses.
absl::StatusOr<std::vector<ListeningSocket>> Listen(std::string_view address, bool loopback_only);

// The address to dial: `listen` with the port that was really bound, which is 0 for a Unix socket.
std::string DialAddress(const std::string& listen, int port);

}  // namespace toolgate::services::sockets

#endif  // TOOLGATE_SERVICES_SOCKETS_LISTENING_SOCKET_H_
