#include "common/net/stream.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "common/clock.h"
#include "common/net/tls_client.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/certificates.h"
#include "tests/support/temp_dir.h"

namespace toolgate::net {
namespace {

using ::testing::HasSubstr;
using testing::TempDir;

// Accepts one connection after the other and gives it to `serve`, on a thread of its own.
class Listener {
 public:
  template <typename Serve>
  explicit Listener(Serve serve) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 8), 0);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, serve] {
      for (int client = 0; (client = accept(fd_, nullptr, nullptr)) >= 0; close(client)) serve(client);
    });
  }
  ~Listener() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }

  Target target() const {
    Target target;
    target.host = "127.0.0.1";
    target.port = port_;
    return target;
  }

 private:
  const int fd_;
  uint16_t port_ = 0;
  std::thread thread_;
};

void Echo(int client) {
  std::array<char, 4096> buffer;
  for (ssize_t count = 0; (count = read(client, buffer.data(), buffer.size())) > 0;) {
    if (write(client, buffer.data(), static_cast<size_t>(count)) != count) return;
  }
}

void SaysNothing(int client) {
  char byte = 0;
  while (read(client, &byte, 1) > 0) {
  }
}

class StreamTest : public ::testing::Test {
 protected:
  static Stream::Patience Soon(const fibers::Cancellation& call, absl::Duration time = absl::Seconds(20)) {
    return {call, Clock::Real().Monotonic() + time};
  }
  absl::StatusOr<std::unique_ptr<Stream>> Connect(const Target& target) {
    return Stream::Connect(target, {*sockets_, timer_}, Soon(never_));
  }

  const std::unique_ptr<SocketWatch> sockets_ = SocketWatch::Create().value();
  fibers::WaitTimer timer_{Clock::Real()};
  const fibers::Cancellation never_;
};

TEST_F(StreamTest, BytesGoBothWays) {
  const Listener listener(Echo);
  const auto stream = Connect(listener.target());
  ASSERT_TRUE(stream.ok()) << stream.status();
  const std::string sent(3000, 'x');
  std::string received;
  ASSERT_TRUE((*stream)->Write(sent, Soon(never_)).ok());
  std::array<char, 65536> buffer;
  while (received.size() < sent.size()) {
    const auto count = (*stream)->Read(absl::MakeSpan(buffer), Soon(never_));
    ASSERT_TRUE(count.ok()) << count.status();
    received.append(buffer.data(), *count);
  }
  EXPECT_EQ(received, sent);
  EXPECT_FALSE((*stream)->IsStale());
}

TEST_F(StreamTest, AServerThatIsNotThereIsNamed) {
  Target target;
  {
    const Listener gone(Echo);
    target = gone.target();
  }
  const absl::Status status = Connect(target).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(target.ToText()));
  Target path;
  path.unix_path = "/nowhere/at.sock";
  EXPECT_THAT(std::string(Connect(path).status().message()), HasSubstr("unix:/nowhere/at.sock"));
}

TEST_F(StreamTest, AWaitEndsWithItsTimeAndWithItsCall) {
  const Listener listener(SaysNothing);
  const auto stream = Connect(listener.target()).value();
  std::array<char, 16> buffer;
  EXPECT_EQ(stream->Read(absl::MakeSpan(buffer), Soon(never_, absl::Milliseconds(50))).status().code(),
            absl::StatusCode::kUnavailable);
  fibers::Cancellation left;
  left.Cancel();
  const absl::Status status = stream->Read(absl::MakeSpan(buffer), Soon(left)).status();
  ASSERT_TRUE(GetToolError(status).has_value()) << status;
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kCancelled);
}

TEST_F(StreamTest, AClosedConnectionIsNoticed) {
  const Listener listener([](int) {});
  const auto stream = Connect(listener.target()).value();
  std::array<char, 16> buffer;
  EXPECT_EQ(stream->Read(absl::MakeSpan(buffer), Soon(never_)).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(stream->IsStale());
}

// A server with TLS that echoes.
class TlsEcho {
 public:
  TlsEcho(const std::string& certificate_file, const std::string& key_file) {
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context_.get(), certificate_file.c_str()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context_.get(), key_file.c_str(), SSL_FILETYPE_PEM), 1);
  }
  void operator()(int client) const {
    const std::unique_ptr<SSL, OpensslDeleter<SSL_free>> tls(SSL_new(context_.get()));
    SSL_set_fd(tls.get(), client);
    if (SSL_accept(tls.get()) != 1) return;
    std::array<char, 4096> buffer;
    for (int count = 0; (count = SSL_read(tls.get(), buffer.data(), buffer.size())) > 0;) {
      SSL_write(tls.get(), buffer.data(), count);
    }
  }

 private:
  const std::shared_ptr<SSL_CTX> context_{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
};

TEST_F(StreamTest, TlsTrustsItsAuthorityAlone) {
  const TempDir dir;
  const testing::TestAuthority authority;
  const testing::TestAuthority stranger("Another authority");
  const auto write = [&](const char* name, const std::string& text) {
    const std::string path = dir.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  };
  const auto server = authority.IssueServer();
  const Listener listener(TlsEcho(write("cert.pem", server.certificate), write("key.pem", server.private_key)));
  Target target = listener.target();
  const TlsContext trusts = MakeTlsContext({write("ca.pem", authority.certificate()), "", ""}).value();
  target.tls = trusts.get();
  auto stream = Connect(target);
  ASSERT_TRUE(stream.ok()) << stream.status();
  ASSERT_TRUE((*stream)->Write("hello", Soon(never_)).ok());
  std::array<char, 16> buffer;
  EXPECT_EQ((*stream)->Read(absl::MakeSpan(buffer), Soon(never_)).value(), 5u);
  stream->reset();  // The listener serves one at a time.
  const TlsContext distrusts = MakeTlsContext({write("other.pem", stranger.certificate()), "", ""}).value();
  target.tls = distrusts.get();
  EXPECT_THAT(std::string(Connect(target).status().message()), HasSubstr("certificate"));
  EXPECT_THAT(std::string(MakeTlsContext({dir.path() + "/none.pem", "", ""}).status().message()),
              HasSubstr("none.pem"));
}

}  // namespace
}  // namespace toolgate::net
