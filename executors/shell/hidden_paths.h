// Paths of a workspace that do not exist for shell commands.
#ifndef TOOLGATE_EXECUTORS_SHELL_HIDDEN_PATHS_H_
#define TOOLGATE_EXECUTORS_SHELL_HIDDEN_PATHS_H_

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "executors/directory/directory.h"

namespace toolgate::executors::shell {

// Finds what the deny list covers, and folders that the service cannot look into. Remembers each folder's content until
// its ctime changes, so that a search costs one look at each folder.
//
// Version control's folder ".git" is an exception if the operator wants it: commands see it, but not the files in it
// that hold addresses with credentials. Thread-safe.
class HiddenPaths {
 public:
  struct Options {
    bool show_git;
    size_t max_paths = 50000;
  };
  HiddenPaths(std::shared_ptr<const directory::Directory> directory, Options options)
      : directory_(std::move(directory)), options_(options) {}

  // The topmost hidden paths, canonical. RESOURCE_EXHAUSTED beyond `max_paths`.
  absl::StatusOr<std::vector<std::string>> Find() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // One folder's content, as far as it matters.
  struct Folder {
    ino_t inode = 0;
    struct timespec changed = {};
    // Whether a later change is sure to have another ctime, clocks of file systems being coarse.
    bool settled = false;
    std::vector<std::string> folders = {};  // Names.
    std::vector<std::string> hidden = {};   // Names.
  };
  using Folders = absl::flat_hash_map<std::string, Folder>;

  absl::Status Search(const std::string& path, Folders& found, std::vector<std::string>& hidden)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsKnown(const std::string& path, const struct stat& present) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Nothing when the folder cannot be read.
  std::optional<Folder> List(int open, const std::string& path, const struct stat& present) const;
  std::optional<Folder> FolderAt(const std::string& path) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsHidden(std::string_view name, const std::string& path) const;

  const std::shared_ptr<const directory::Directory> directory_;
  const Options options_;
  absl::Mutex mutex_;
  Folders folders_ ABSL_GUARDED_BY(mutex_);  // By path.
};

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_HIDDEN_PATHS_H_
