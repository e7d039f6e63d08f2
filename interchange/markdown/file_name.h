// Names of files made from titles.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_FILE_NAME_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_FILE_NAME_H_

#include <map>
#include <string>
#include <string_view>

namespace toolgate::interchange::markdown {

inline constexpr size_t kMaxFileName = 120;  // Bytes, without the extension.

// Converts `title` to a file name, without extension, that is valid on every common file system: no separators, control
// or invisible characters, no names reserved by Windows, no dot or space at either end, at most kMaxFileName bytes, cut
// at a character boundary. Never empty, hidden, or itself the name of a Markdown file.
std::string SafeFileName(std::string_view title);

// Names used in one folder. Not thread-safe.
class FileNames {
 public:
  // SafeFileName with " 2", " 3" and so on appended if the name is taken. Names that differ only in case or Unicode
  // normalisation count as equal.
  std::string Take(std::string_view title);

 private:
  std::map<std::string, int> taken_;  // By name, the last number appended.
};

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_FILE_NAME_H_
