// The S3 server of tests/e2e/s3_server.mjs in a process of its own.
#ifndef TOOLGATE_TESTS_SUPPORT_S3_SERVER_H_
#define TOOLGATE_TESTS_SUPPORT_S3_SERVER_H_

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/source_dir.h"

namespace toolgate::testing {

// Started with the object, and ended with it: the server's standard input closes. Its data is gone then.
class S3Server {
 public:
  // Whether Node.js and the server's packages are installed (`npm ci` in tests/e2e).
  static bool Installed() { return std::filesystem::exists(Folder() + "/node_modules/s3rver"); }

  S3Server() {
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      if (chdir(Folder().c_str()) == 0) execlp("node", "node", "s3_server.mjs", nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    stdin_ = in[1];
    char c = 0;
    while (read(out[0], &c, 1) == 1 && c != '\n') port_.push_back(c);
    close(out[0]);
    EXPECT_FALSE(port_.empty()) << "tests/e2e/s3_server.mjs has not started";
  }
  ~S3Server() {
    close(stdin_);
    waitpid(child_, nullptr, 0);
  }
  S3Server(const S3Server&) = delete;
  S3Server& operator=(const S3Server&) = delete;

  // "http://127.0.0.1:PORT". The bucket is "images", the region "eu-test-1", key and secret are "S3RVER".
  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_); }
  std::string port() const { return port_; }

 private:
  static std::string Folder() { return SourceDir() + "/tests/e2e"; }

  pid_t child_ = -1;
  int stdin_ = -1;
  std::string port_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_S3_SERVER_H_
