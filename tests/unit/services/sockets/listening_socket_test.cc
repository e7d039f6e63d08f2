#include "services/sockets/listening_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::sockets {
namespace {

using ::testing::HasSubstr;

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "toolgate_listen_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

bool CanConnect(const std::string& path) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  std::strncpy(where.sun_path, path.c_str(), sizeof(where.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const bool connected = connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof(where)) == 0;
  close(fd);
  return connected;
}

// Leaves a socket like a server that was killed.
void LeaveStaleSocket(const std::string& path) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  std::strncpy(where.sun_path, path.c_str(), sizeof(where.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&where), sizeof(where)), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  close(fd);
}

TEST(ListeningSocketTest, PortZeroTakesAFreeOne) {
  const auto sockets = Listen("127.0.0.1:0", true);
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_GT(sockets->front().port(), 0);
}

TEST(ListeningSocketTest, AllAddressesOfANameShareThePort) {
  const auto sockets = Listen("localhost:0", true);
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  for (const ListeningSocket& socket : *sockets) EXPECT_EQ(socket.port(), sockets->front().port());
}

TEST(ListeningSocketTest, APortInUseIsNamedWithAMend) {
  const auto first = Listen("127.0.0.1:0", true);
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string address = absl::StrCat("127.0.0.1:", first->front().port());
  const auto second = Listen(address, true);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(address));
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("choose another address"));
}

TEST(ListeningSocketTest, AddressesThatMakeNoSenseAreRefused) {
  const std::string long_path = "unix:/" + std::string(200, 'x');
  for (const std::string& address :
       {std::string("127.0.0.1"), std::string("127.0.0.1:http"), std::string("127.0.0.1:70000"), std::string(":50051"),
        std::string("::1:50051"), std::string("127.0.0.1:-1"), std::string("unix:"), std::string(""), long_path}) {
    const auto sockets = Listen(address, true);
    EXPECT_EQ(sockets.status().code(), absl::StatusCode::kInvalidArgument) << address << ": " << sockets.status();
    EXPECT_THAT(std::string(sockets.status().message()), HasSubstr(address));
  }
}

TEST(ListeningSocketTest, WithoutCredentialsOnlyThisMachineMayReachIt) {
  for (const std::string address : {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"}) {
    const auto sockets = Listen(address, true);
    EXPECT_EQ(sockets.status().code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_THAT(std::string(sockets.status().message()), HasSubstr("no credentials"));
  }
  EXPECT_TRUE(Listen("0.0.0.0:0", false).ok());
}

TEST(ListeningSocketTest, ASocketFileIsForItsUserOnlyAndGoesWithItsServer) {
  const Folder folder;
  const std::string path = folder / "s";
  {
    const auto sockets = Listen("unix:" + path, true);
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    EXPECT_EQ(sockets->front().port(), 0);
    struct stat made {};
    ASSERT_EQ(lstat(path.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777, 0600u);
    EXPECT_TRUE(CanConnect(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ListeningSocketTest, TheSocketFileOfADeadServerIsReplaced) {
  const Folder folder;
  const std::string path = folder / "s";
  LeaveStaleSocket(path);
  ASSERT_FALSE(CanConnect(path));
  const auto sockets = Listen("unix://" + path, true);
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_TRUE(CanConnect(path));
}

TEST(ListeningSocketTest, TheSocketFileOfALiveServerIsLeftAlone) {
  const Folder folder;
  const std::string path = folder / "s";
  const auto first = Listen("unix:" + path, true);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Listen("unix:" + path, true);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(path));
  EXPECT_TRUE(CanConnect(path));
}

TEST(ListeningSocketTest, AFileThatIsNotASocketIsLeftAlone) {
  const Folder folder;
  const std::string path = folder / "precious";
  std::ofstream(path) << "data";
  const auto sockets = Listen("unix:" + path, true);
  EXPECT_EQ(sockets.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
}

TEST(ListeningSocketTest, AnotherServersSocketFileIsNotRemovedAtTheEnd) {
  const Folder folder;
  const std::string path = folder / "s";
  {
    const auto sockets = Listen("unix:" + path, true);
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    std::filesystem::rename(path, folder / "old");
    LeaveStaleSocket(path);
  }
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(ListeningSocketTest, AFolderThatDoesNotExistIsNamed) {
  const auto sockets = Listen("unix:/nonexistent/toolgate/s", true);
  EXPECT_EQ(sockets.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(sockets.status().message()), HasSubstr("/nonexistent/toolgate/s"));
}

}  // namespace
}  // namespace toolgate::services::sockets
