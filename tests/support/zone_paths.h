// Files that the loader of time zones would open, if it were given their paths.
#ifndef TOOLGATE_TESTS_SUPPORT_ZONE_PATHS_H_
#define TOOLGATE_TESTS_SUPPORT_ZONE_PATHS_H_

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/open_watch.h"
#include "tests/support/temp_dir.h"

namespace toolgate::testing {

// A folder with the file of a zone, and a FIFO, whose opening waits for a writer that never comes.
class ZonePaths {
 public:
  ZonePaths() : watch_(dir_.path()) {
    std::filesystem::copy_file("/usr/share/zoneinfo/Europe/Berlin", file());
    EXPECT_EQ(mkfifo(fifo().c_str(), 0600), 0);
    watch_.Opened();
  }

  std::string file() const { return dir_.path() + "/zone"; }
  std::string fifo() const { return dir_.path() + "/fifo"; }

  // All ways to name the two.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const std::string& path : {file(), fifo()}) {
      const std::string climbing = "../../../../../../.." + path;
      for (const std::string& name :
           {path, "file:" + path, ":" + path, "libc:" + path, climbing, "Europe/" + climbing}) {
        names.push_back(name);
      }
    }
    return names;
  }

  // Whether one of them was opened since the last call.
  bool Opened() { return watch_.Opened(); }

 private:
  TempDir dir_;
  OpenWatch watch_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_ZONE_PATHS_H_
