// A folder that lasts as long as the test that made it.
#ifndef TOOLGATE_TESTS_SUPPORT_TEMP_DIR_H_
#define TOOLGATE_TESTS_SUPPORT_TEMP_DIR_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace toolgate::testing {

class TempDir {
 public:
  TempDir() : path_((std::filesystem::temp_directory_path() / "toolgate-test-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) abort();
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TEMP_DIR_H_
