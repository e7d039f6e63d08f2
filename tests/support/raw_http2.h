// A client that speaks HTTP/2 frame by frame, to say what a library would not.
#ifndef TOOLGATE_TESTS_SUPPORT_RAW_HTTP2_H_
#define TOOLGATE_TESTS_SUPPORT_RAW_HTTP2_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"

namespace toolgate::testing {

inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum class Frame : uint8_t { kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kPing = 6, kGoAway = 7, kWindow = 8 };
inline constexpr uint8_t kEndStream = 1;
inline constexpr uint8_t kAck = 1;
inline constexpr uint8_t kEndHeaders = 4;

inline std::string FrameOf(Frame type, uint8_t flags, uint32_t stream, std::string_view payload = "") {
  std::string frame;
  for (const int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift);
  return frame.append(payload);
}
inline std::string Acknowledgement() { return FrameOf(Frame::kSettings, kAck, 0); }

// A header that enters the table of headers, under the index 62.
inline std::string IndexedHeader(std::string_view name, std::string_view value) {
  const auto text = [](std::string_view bytes) {
    std::string out;
    if (bytes.size() < 127) return out.append(1, static_cast<char>(bytes.size())).append(bytes);
    out += static_cast<char>(127);
    size_t rest = bytes.size() - 127;
    for (; rest >= 128; rest /= 128) out += static_cast<char>(rest % 128 + 128);
    return out.append(1, static_cast<char>(rest)).append(bytes);
  };
  return "\x40" + text(name) + text(value);
}
// POST to "/".
inline std::string PseudoHeaders() { return "\x83\x86\x84"; }
// A request of gRPC to `path`, for example "/toolgate.v1.ToolService/ListTools". Its messages follow as DATA.
inline std::string GrpcRequest(uint32_t stream, std::string_view path) {
  std::string headers = "\x83\x86\x04" + std::string(1, static_cast<char>(path.size())).append(path);
  headers.append("\x01\x09localhost");
  headers += IndexedHeader("te", "trailers") + IndexedHeader("content-type", "application/grpc");
  return FrameOf(Frame::kHeaders, kEndHeaders, stream, headers);
}
// One message of gRPC, with the bytes that precede it.
inline std::string GrpcMessage(std::string_view message) {
  std::string bytes(1, '\0');
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(message.size() >> shift);
  return bytes.append(message);
}
// Lets the other side send `bytes` more on a stream; on the connection for stream 0.
inline std::string WindowUpdate(uint32_t stream, uint32_t bytes) {
  std::string payload;
  for (const int shift : {24, 16, 8, 0}) payload += static_cast<char>(bytes >> shift);
  return FrameOf(Frame::kWindow, 0, stream, payload);
}

// So many references to the header of index 62, each one byte long.
inline std::string References(size_t count) { return std::string(count, '\xbe'); }

// One connection to a port of the loopback. Not thread-safe.
class RawHttp2 {
 public:
  struct Received {
    Frame type;
    uint8_t flags = 0;
    uint32_t stream = 0;
    std::string payload;
  };

  explicit RawHttp2(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  ~RawHttp2() { close(fd_); }
  RawHttp2(const RawHttp2&) = delete;
  RawHttp2& operator=(const RawHttp2&) = delete;

  // False when the server has closed the connection.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }
  // Preface and SETTINGS.
  bool Open() { return Send(std::string(kHttp2Preface) + FrameOf(Frame::kSettings, 0, 0)); }

  // The next frame; nothing when the connection has ended, or a minute has passed.
  std::optional<Received> Next() {
    while (buffer_.size() < 9 || buffer_.size() < 9 + Length()) {
      if (!Fill()) return std::nullopt;
    }
    Received frame;
    frame.type = static_cast<Frame>(Byte(3));
    frame.flags = Byte(4);
    frame.stream = (Byte(5) & 0x7fu) << 24 | Byte(6) << 16 | Byte(7) << 8 | Byte(8);
    frame.payload = buffer_.substr(9, Length());
    buffer_.erase(0, 9 + frame.payload.size());
    return frame;
  }
  // Reads until a frame of that type; false when the connection ends before.
  bool Await(Frame type) {
    while (const std::optional<Received> frame = Next()) {
      if (frame->type == type) return true;
    }
    return false;
  }
  // Whether the server ends the connection, whatever it sends before.
  bool AwaitEnd() {
    while (Next().has_value()) {
    }
    return ended_;
  }

 private:
  uint32_t Byte(size_t i) const { return static_cast<uint8_t>(buffer_[i]); }
  size_t Length() const { return size_t{Byte(0)} << 16 | Byte(1) << 8 | Byte(2); }
  bool Fill() {
    pollfd event{fd_, POLLIN, 0};
    if (poll(&event, 1, 60'000) <= 0) return false;
    char bytes[16384];
    const ssize_t count = recv(fd_, bytes, sizeof(bytes), 0);
    if (count <= 0) {
      ended_ = true;
      return false;
    }
    buffer_.append(bytes, static_cast<size_t>(count));
    return true;
  }

  const int fd_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_RAW_HTTP2_H_
