// Tells whether a file of a folder was opened.
#ifndef TOOLGATE_TESTS_SUPPORT_OPEN_WATCH_H_
#define TOOLGATE_TESTS_SUPPORT_OPEN_WATCH_H_

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <string>

#include "gtest/gtest.h"

namespace toolgate::testing {

// Watches the files directly in `folder`, from its construction on.
class OpenWatch {
 public:
  explicit OpenWatch(const std::string& folder) : fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(inotify_add_watch(fd_, folder.c_str(), IN_OPEN), 0) << folder;
  }
  OpenWatch(const OpenWatch&) = delete;
  OpenWatch& operator=(const OpenWatch&) = delete;
  ~OpenWatch() { close(fd_); }

  // Whether a file was opened since the last call.
  bool Opened() {
    alignas(inotify_event) std::array<char, 4096> events;
    bool opened = false;
    while (read(fd_, events.data(), events.size()) > 0) opened = true;
    return opened;
  }

 private:
  const int fd_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_OPEN_WATCH_H_
