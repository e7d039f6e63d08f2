#include "services/grpc/acceptor/read_hold.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace toolgate::services::grpc::acceptor {
namespace {

// A client that keeps to the protocol sends at most 64 KiB of content, and headers, before the server has read any.
constexpr int kRoom = 256 << 10;
// While bytes keep arriving, there is no moment to count in; an honest client pauses.
constexpr int kCountAttempts = 100;

// Linux's struct tcp_info as far as it is needed; that of glibc ends before.
struct TcpInfo {
  std::array<char, 104> other;
  uint64_t pacing_rate;
  uint64_t max_pacing_rate;
  uint64_t bytes_acked;
  uint64_t bytes_received;
};

bool SetLowWaterMark(int fd, int bytes) { return setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)) == 0; }

std::optional<int64_t> ReceivedBytes(int fd) {
  TcpInfo info{};
  socklen_t size = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < sizeof(info)) return std::nullopt;
  return static_cast<int64_t>(info.bytes_received);
}

// Received bytes less those that wait to be read.
std::optional<int64_t> BytesReadFrom(int fd) {
  for (int attempt = 0; attempt < kCountAttempts; ++attempt) {
    int waiting = 0;
    const std::optional<int64_t> received = ReceivedBytes(fd);
    if (!received.has_value() || ioctl(fd, FIONREAD, &waiting) != 0) return std::nullopt;
    if (ReceivedBytes(fd) == received) return *received - waiting;
  }
  return std::nullopt;
}

}  // namespace

ReadHold::ReadHold(int fd) : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 0)) {
  if (fd_ >= 0 && SetLowWaterMark(fd_, kRoom)) read_ = BytesReadFrom(fd_);
}

ReadHold::~ReadHold() {
  if (fd_ < 0) return;
  // This also wakes the reader when there is something to read.
  SetLowWaterMark(fd_, 1);
  close(fd_);
}

bool ReadHold::Held() const { return read_.has_value() && BytesReadFrom(fd_) == read_; }

void ReadHold::Abort() {
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

}  // namespace toolgate::services::grpc::acceptor
