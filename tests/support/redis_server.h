// A Redis server of a test's own.
#ifndef TOOLGATE_TESTS_SUPPORT_REDIS_SERVER_H_
#define TOOLGATE_TESTS_SUPPORT_REDIS_SERVER_H_

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::testing {

// Listens on a Unix socket in a temporary folder, and keeps nothing on disk. Ends with the object, or with the thread
// that made it.
class RedisServer {
 public:
  // `settings`: further arguments of redis-server.
  explicit RedisServer(std::vector<std::string> settings = {}) : settings_(std::move(settings)) { Start(); }
  ~RedisServer() { Stop(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  std::string socket() const { return dir_.path() + "/redis.sock"; }

  void Start() {
    std::vector<std::string> arguments = {"redis-server", "--port",       "0", "--unixsocket",
                                          socket(),       "--save",       "",  "--dir",
                                          dir_.path(),    "--appendonly", "no"};
    arguments.insert(arguments.end(), settings_.begin(), settings_.end());
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int log = open((dir_.path() + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(log, STDOUT_FILENO);
      dup2(log, STDERR_FILENO);
      // The same program: Debian's package redis-server would add a service of the system.
      execvp("redis-check-rdb", words.data());
      _exit(127);
    }
    const absl::Time give_up = absl::Now() + absl::Seconds(30);
    while (!Accepts()) {
      ASSERT_LT(absl::Now(), give_up) << "redis-server has not started";
      ASSERT_EQ(waitpid(child_, nullptr, WNOHANG), 0) << "redis-server ended; is the package redis-tools installed?";
      absl::SleepFor(absl::Milliseconds(5));
    }
  }
  // It forgets everything.
  void Stop() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(std::exchange(child_, -1), nullptr, 0);
    std::filesystem::remove(socket());
  }
  // It takes what it is sent and replies to nothing.
  void Freeze() const { kill(child_, SIGSTOP); }
  void Thaw() const { kill(child_, SIGCONT); }

 private:
  bool Accepts() const {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    socket().copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool accepts = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(fd);
    return accepts;
  }

  const std::vector<std::string> settings_;
  TempDir dir_;
  pid_t child_ = -1;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_REDIS_SERVER_H_
