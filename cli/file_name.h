// Names of files made from titles.
#ifndef TOOLGATE_CLI_FILE_NAME_H_
#define TOOLGATE_CLI_FILE_NAME_H_

#include <map>
#include <string>
#include <string_view>

namespace toolgate::cli {

inline constexpr size_t kMaxFileName = 120;  // Bytes, without the ending.

// `title` as the name of a file, without its ending, that every common file system takes: no separators, control or
// invisible characters, nothing that Windows reserves, no dot or blank at either end, at most kMaxFileName bytes, cut
// at a character. Never empty, never hidden, never the name of a Markdown file itself.
std::string SafeFileName(std::string_view title);

// The names in one folder. Not thread-safe.
class FileNames {
 public:
  // SafeFileName, with " 2", " 3" and so on behind it where the name is taken; names that differ only in case or in how
  // their characters are put together are the same.
  std::string Take(std::string_view title);

 private:
  std::map<std::string, int> taken_;  // With the latest number behind each.
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_FILE_NAME_H_
