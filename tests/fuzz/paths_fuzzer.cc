// Reads any text as a path of a workspace's directory, and as a pattern of the deny list: a path that is taken is a
// plain one below the directory, reads as itself again, and no form of a denied name gets past the deny list.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "executors/directory/deny_list.h"
#include "executors/directory/path.h"

namespace directory = toolgate::executors::directory;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const auto* const built_in = new directory::DenyList(directory::DenyList::Create({}).value());
  const auto path = directory::ParseFilePath("file", text);
  if (path.ok()) {
    if (!directory::IsCanonical(*path)) std::abort();
    if (directory::ParseFilePath("file", *path).value_or("") != *path) std::abort();
    for (const std::string_view name : directory::ComponentsOf(*path)) {
      if (name == ".." || name == ".") std::abort();
      if (name == ".git" && !built_in->Find(*path).has_value()) std::abort();
    }
    if (!built_in->Find(directory::JoinPath(*path, ".env")).has_value()) std::abort();
  }
  static_cast<void>(directory::ParseFolderPath("cwd", text));
  static_cast<void>(directory::ShownPath(text));
  const auto list = directory::DenyList::Create({std::string(text)});
  if (list.ok()) static_cast<void>(list->Find("a/b/c/.env/d"));
  return 0;
}
