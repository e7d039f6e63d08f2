// A plain HTTP client for tests, which can also misbehave.
#ifndef TOOLGATE_TESTS_SUPPORT_HTTP_CLIENT_H_
#define TOOLGATE_TESTS_SUPPORT_HTTP_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "gtest/gtest.h"

namespace toolgate::testing {

struct HttpReply {
  int status = 0;                              // 0: the connection ended before.
  std::map<std::string, std::string> headers;  // By lower-case names.
  std::string body;                            // Without its chunks.
};

// One connection. Blocks; not thread-safe.
class HttpConnection {
 public:
  // To "127.0.0.1:port" or "unix:/path".
  explicit HttpConnection(const std::string& address) {
    if (address.starts_with("unix:")) {
      sockaddr_un to{};
      to.sun_family = AF_UNIX;
      std::strncpy(to.sun_path, address.c_str() + 5, sizeof to.sun_path - 1);
      Connect(AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    } else {
      const size_t colon = address.rfind(':');
      sockaddr_in to{};
      to.sin_family = AF_INET;
      inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
      to.sin_port = htons(static_cast<uint16_t>(std::atoi(address.c_str() + colon + 1)));
      Connect(AF_INET, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
  }
  ~HttpConnection() { Close(); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  // `more` are further header lines, each with its line end.
  void SendRequest(std::string_view method, std::string_view target, std::string_view body = "",
                   std::string_view more = "") {
    std::string text =
        absl::StrCat(ToAbsl(method), " ", ToAbsl(target), " HTTP/1.1\r\nHost: localhost\r\n", ToAbsl(more));
    if (!body.empty()) {
      absl::StrAppend(&text, "Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n");
    }
    absl::StrAppend(&text, "\r\n", ToAbsl(body));
    Send(text);
  }

  // The head of the next response.
  HttpReply ReadHead() {
    HttpReply reply;
    const std::string head = ReadUntil("\r\n\r\n");
    if (head.empty()) return reply;
    reply.status = std::atoi(head.c_str() + head.find(' '));
    for (size_t at = head.find("\r\n") + 2; at < head.size() - 2;) {
      const size_t end = head.find("\r\n", at);
      const size_t colon = head.find(':', at);
      reply.headers[absl::AsciiStrToLower(head.substr(at, colon - at))] =
          std::string(absl::StripAsciiWhitespace(head.substr(colon + 1, end - colon - 1)));
      at = end + 2;
    }
    return reply;
  }
  // The next response, whole.
  HttpReply Read() {
    HttpReply reply = ReadHead();
    if (reply.headers["transfer-encoding"] == "chunked") {
      while (true) {
        const size_t size = std::strtoul(ReadUntil("\r\n").c_str(), nullptr, 16);
        reply.body += ReadBytes(size);
        ReadUntil("\r\n");
        if (size == 0) break;
      }
    } else if (reply.headers.contains("content-length")) {
      reply.body = ReadBytes(std::strtoul(reply.headers["content-length"].c_str(), nullptr, 10));
    }
    return reply;
  }
  // Bytes up to `end` inclusive; empty when the connection ends before.
  std::string ReadUntil(std::string_view end) {
    size_t found = 0;
    while ((found = buffer_.find(end)) == std::string::npos) {
      if (!Fill()) return "";
    }
    std::string text = buffer_.substr(0, found + end.size());
    buffer_.erase(0, text.size());
    return text;
  }
  // Whether the server has ended the connection, after whatever it sends before.
  bool AwaitEnd() {
    while (Fill()) {
    }
    return true;
  }
  int fd() const { return fd_; }
  void CloseSendingHalf() { shutdown(fd_, SHUT_WR); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  void Connect(int family, const sockaddr* to, socklen_t size) {
    fd_ = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(fd_, to, size), 0) << std::strerror(errno);
  }
  bool Fill() {
    char bytes[65536];
    const ssize_t count = recv(fd_, bytes, sizeof bytes, 0);
    if (count > 0) buffer_.append(bytes, static_cast<size_t>(count));
    return count > 0;
  }
  std::string ReadBytes(size_t size) {
    while (buffer_.size() < size && Fill()) {
    }
    std::string bytes = buffer_.substr(0, size);
    buffer_.erase(0, bytes.size());
    return bytes;
  }

  int fd_ = -1;
  std::string buffer_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_HTTP_CLIENT_H_
