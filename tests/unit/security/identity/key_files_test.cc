#include "security/identity/key_files.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::security::identity {
namespace {

using ::testing::HasSubstr;

// Answers one request with fixed bytes, on a free port of the loopback.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : answer_(std::move(answer)), fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 1), 0);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      const int client = accept(fd_, nullptr, nullptr);
      char request[4096];
      static_cast<void>(read(client, request, sizeof(request)));
      size_t sent = 0;
      while (sent < answer_.size()) {
        const ssize_t count = send(client, answer_.data() + sent, answer_.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) break;
        sent += static_cast<size_t>(count);
      }
      close(client);
    });
  }
  ~OneAnswer() {
    thread_.join();
    close(fd_);
  }
  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_, "/keys"); }

 private:
  const std::string answer_;
  const int fd_;
  int port_ = 0;
  std::thread thread_;
};

absl::StatusOr<std::string> Get(const std::string& answer) {
  const OneAnswer server(answer);
  const std::atomic<bool> stop{false};
  return FetchOverHttp({server.url(), "", absl::Seconds(30)}, stop);
}

std::string Answer(const std::string& body) {
  return absl::StrCat("HTTP/1.1 200 OK\r\nContent-Length: ", body.size(), "\r\nConnection: close\r\n\r\n", body);
}

TEST(FetchOverHttpTest, AnswersTheBody) { EXPECT_EQ(*Get(Answer("{\"keys\":[]}")), "{\"keys\":[]}"); }

TEST(FetchOverHttpTest, RefusesWhatIsNoPlainAnswer) {
  EXPECT_THAT(std::string(Get("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").status().message()),
              HasSubstr("answered 404"));
  EXPECT_THAT(
      std::string(
          Get("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n").status().message()),
      HasSubstr("answered 302"))
      << "a redirect is not followed";
  EXPECT_THAT(std::string(Get(Answer(std::string(300'000, 'x'))).status().message()), HasSubstr("larger than 256 KiB"));
}

TEST(FetchOverHttpTest, SpeaksOnlyHttp) {
  const std::atomic<bool> stop{false};
  EXPECT_FALSE(FetchOverHttp({"file:///etc/hostname", "", absl::Seconds(1)}, stop).ok());
}

class KeyFilesTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text, mode_t mode) {
    const std::string path = dir_.path() + "/" + name;
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }
  testing::TempDir dir_;
};

TEST_F(KeyFilesTest, ASecretIsForItsOwnerAndGroupAlone) {
  EXPECT_EQ(*ReadSecretFile(Write("a", "secret", 0600)), "secret");
  EXPECT_EQ(*ReadSecretFile(Write("b", "secret", 0640)), "secret");
  for (const mode_t mode : {0604, 0602, 0644, 0666}) {
    const std::string path = Write("c", "secret", mode);
    const auto read = ReadSecretFile(path);
    ASSERT_FALSE(read.ok()) << mode;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr("chmod o= " + path));
    EXPECT_TRUE(ReadKeyFile(path).ok()) << "what is public may be read";
  }
}

TEST_F(KeyFilesTest, ReadsOnlyBoundedRegularFiles) {
  EXPECT_EQ(ReadKeyFile(dir_.path() + "/absent").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadKeyFile(dir_.path()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(ReadKeyFile(Write("full", std::string(256 << 10, 'x'), 0600)).ok());
  EXPECT_FALSE(ReadKeyFile(Write("over", std::string((256 << 10) + 1, 'x'), 0600)).ok());
  const std::string fifo = dir_.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(ReadKeyFile(fifo).ok());
}

}  // namespace
}  // namespace toolgate::security::identity
