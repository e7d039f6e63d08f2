#include "executors/directory/folded_name.h"

#include <cstddef>

#include "common/text/fold_case.h"

namespace toolgate::executors::directory {
namespace {

// Characters that take no room and that some file systems leave out of account when they compare names without case.
constexpr std::string_view kIgnorable[] = {"\u00AD", "\u034F", "\u200B", "\u200C", "\u200D", "\u200E",
                                           "\u200F", "\u2060", "\u2061", "\u2062", "\u2063", "\u2064",
                                           "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u206A",
                                           "\u206B", "\u206C", "\u206D", "\u206E", "\u206F", "\uFEFF"};

}  // namespace

std::string FoldName(std::string_view name) {
  std::string folded = text::FoldCase(name);
  for (const std::string_view ignorable : kIgnorable) {
    for (size_t at = folded.find(ignorable); at != std::string::npos; at = folded.find(ignorable, at)) {
      folded.erase(at, ignorable.size());
    }
  }
  return folded;
}

}  // namespace toolgate::executors::directory
