// A folder's content as one text, for comparing.
#ifndef TOOLGATE_TESTS_SUPPORT_FOLDER_LISTING_H_
#define TOOLGATE_TESTS_SUPPORT_FOLDER_LISTING_H_

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "absl/strings/str_format.h"

namespace toolgate::testing {

// A line for each path below `folder`, in order, with mode and content or target; without the service's own folder.
inline std::string ListFolder(const std::string& folder) {
  std::set<std::string> lines;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().lexically_relative(folder);
    if (path.rfind(".toolgate", 0) == 0) continue;
    struct stat stat {};
    lstat(entry.path().c_str(), &stat);
    std::string content;
    if (entry.is_symlink()) {
      content = "-> " + std::filesystem::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      std::ifstream file(entry.path(), std::ios::binary);
      content.assign(std::istreambuf_iterator<char>(file), {});
    }
    lines.insert(absl::StrFormat("%s %o %s\n", path, entry.is_symlink() ? 0U : stat.st_mode, content));
  }
  std::string listing;
  for (const std::string& line : lines) listing += line;
  return listing;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FOLDER_LISTING_H_
