#include "services/grpc/acceptor/read_hold.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace toolgate::services::grpc::acceptor {
namespace {

// A client that keeps to the protocol sends at most 64 KiB of content, and headers, before the server has read any.
constexpr int kRoom = 256 << 10;

void SetLowWaterMark(int fd, int bytes) { setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)); }

}  // namespace

ReadHold::ReadHold(int fd) : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 0)) {
  if (fd_ >= 0) SetLowWaterMark(fd_, kRoom);
}

ReadHold::~ReadHold() {
  if (fd_ < 0) return;
  // This also wakes the reader when there is something to read.
  SetLowWaterMark(fd_, 1);
  close(fd_);
}

}  // namespace toolgate::services::grpc::acceptor
