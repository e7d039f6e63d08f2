// Finds the data files of tests.
#ifndef TOOLGATE_TESTS_SUPPORT_SOURCE_DIR_H_
#define TOOLGATE_TESTS_SUPPORT_SOURCE_DIR_H_

#include <cstdlib>
#include <filesystem>
#include <string>

namespace toolgate {

// The root of the source tree, with the data files of tests: TOOLGATE_SOURCE_DIR of the environment, or else the
// nearest folder above the program that has this tree's build files. It is found as the test runs, so that equal
// sources make equal programs in every clone.
inline std::string SourceDir() {
  if (const char* given = std::getenv("TOOLGATE_SOURCE_DIR"); given != nullptr) return given;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  while (!std::filesystem::exists(folder / "CMakePresets.json") && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder.string();
}

}  // namespace toolgate

#endif  // TOOLGATE_TESTS_SUPPORT_SOURCE_DIR_H_
