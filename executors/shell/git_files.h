// Looks at files of version control in a directory, as it is and as a command leaves it.
#ifndef TOOLGATE_EXECUTORS_SHELL_GIT_FILES_H_
#define TOOLGATE_EXECUTORS_SHELL_GIT_FILES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/fibers/cancellation.h"
#include "executors/directory/directory.h"
#include "executors/directory/file_state.h"
#include "executors/shell/change_plan.h"

namespace toolgate::executors::shell {

// Name of a repository's folder, or of a file that leads to it.
inline constexpr std::string_view kGit = ".git";
// The beginning of such a file; the path of the folder follows.
inline constexpr std::string_view kGitDir = "gitdir: ";
// In a repository: its configuration, and files that are harmless when they are empty.
inline constexpr std::string_view kGitConfigs[] = {"config", "config.worktree"};
inline constexpr std::string_view kEmptyGitFiles[] = {"info/attributes", "objects/info/alternates",
                                                      "objects/info/http-alternates"};
// A longer text of version control's is none that it needs.
inline constexpr int64_t kMaxGitText = int64_t{1} << 20;

// Whether a canonical path is a folder or file ".git", or is in one.
bool IsInGit(std::string_view path);

// Whether a canonical path is a folder, or is below it. All are below "".
bool IsWithin(std::string_view path, std::string_view folder);

// The directory on the machine, as the kernel names it.
std::string RootPath(const directory::Directory& directory);

directory::FileKind KindIn(const directory::Directory& directory, const std::string& path);
// Nothing: it is no regular file, longer than `max_bytes`, or cannot be read.
std::optional<std::string> TextIn(const directory::Directory& directory, const std::string& path,
                                  int64_t max_bytes = kMaxGitText);

// The directory as it will be: what a plan has, over what is there. Borrows all that it is made of. Thread-compatible.
class MergedFiles {
 public:
  MergedFiles(const directory::Directory& directory, int upper, const ChangePlan& plan);

  const directory::Directory& directory() const { return directory_; }
  bool IsChanged(std::string_view path) const { return changes_.find(path) != changes_.end(); }
  bool HasChangeBelow(std::string_view folder) const;
  directory::FileKind KindOf(const std::string& path) const;
  directory::FileKind Before(const std::string& path) const { return KindIn(directory_, path); }

  // Of a regular file; nothing when it cannot be read or is longer than `max_bytes`.
  std::optional<std::string> TextOf(const std::string& path, int64_t max_bytes = kMaxGitText) const;

  // The paths that will be below a folder, but for folders.
  absl::StatusOr<std::vector<std::string>> Below(const std::string& folder,
                                                 const fibers::Cancellation& cancellation) const;

  // The canonical path to which `target` leads from a folder: a relative path, or one in the directory as commands name
  // it. Nothing when it leads out, goes through a symbolic link, or is not written plainly.
  std::optional<std::string> Resolve(std::string_view folder, std::string_view target) const;

 private:
  const PlannedChange* ChangeOf(std::string_view path) const;

  const directory::Directory& directory_;
  const int upper_;
  std::map<std::string_view, const PlannedChange*> changes_;
};

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_GIT_FILES_H_
