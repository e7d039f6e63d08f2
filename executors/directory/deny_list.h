// Files of a workspace's directory that no tool may read or change: the service's own, version control's internals,
// and secrets by the shape of their names.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_DENY_LIST_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_DENY_LIST_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::executors::directory {

// Globs over canonical paths: "*" and "?" stay within a name, "**" stands for any number of folders. A pattern matches
// at any depth unless it begins with "/", and covers everything below a folder that it matches. Letters match in
// either case, also where the file system tells them apart: on one that does not, ".GIT" is ".git". Immutable, hence
// thread-safe.
class DenyList {
 public:
  // The built-in patterns and `extra`. INVALID_ARGUMENT names a pattern that is empty, too long or no path.
  static absl::StatusOr<DenyList> Create(const std::vector<std::string>& extra);

  // The pattern that denies the path; nothing: it is allowed.
  std::optional<std::string_view> Find(std::string_view path) const;

  static const std::vector<std::string_view>& BuiltIn();

 private:
  struct Pattern {
    std::string written;
    bool anchored = false;
    std::vector<std::string> components;  // Folded.
  };
  std::vector<Pattern> patterns_;
};

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_DENY_LIST_H_
