// Paths of a workspace that do not exist for shell commands.
#ifndef TOOLGATE_EXECUTORS_SHELL_HIDDEN_PATHS_H_
#define TOOLGATE_EXECUTORS_SHELL_HIDDEN_PATHS_H_

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/cancellation.h"
#include "executors/directory/directory.h"
#include "executors/shell/git_guard.h"

namespace toolgate::executors::shell {

// A file that commands do not see in a repository, nor beside those below "modules" and "worktrees".
inline constexpr std::string_view kGitSecret = "credentials";

// Finds what the deny list covers, what is out of the reach of tools (directory::IsOutOfReach), and folders that the
// service cannot look into. Remembers each folder's content until its ctime changes, so that a search costs one look at
// each folder. Of one directory: the caller gives the same one each time.
//
// Version control's folders ".git" are an exception if the operator wants it: commands see them, but no "credentials"
// in them. Finds repositories on the way. Thread-safe: searches run side by side.
class HiddenPaths {
 public:
  struct Options {
    bool show_git;
    size_t max_paths = 50000;
    size_t max_remembered = 50000;  // Folders; further ones are listed each time.
  };
  explicit HiddenPaths(Options options) : options_(options) {}

  struct Found {
    std::vector<std::string> hidden;  // The topmost hidden paths, canonical.
    GitPlaces git;
  };
  // RESOURCE_EXHAUSTED beyond `max_paths`; asks `cancellation` at each folder and
  // at each name in it.
  absl::StatusOr<Found> Find(const directory::Directory& directory, const fibers::Cancellation& cancellation)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Folders whose content is remembered.
  size_t remembered() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // One folder's content, as far as it matters.
  struct Folder {
    ino_t inode = 0;
    struct timespec changed = {};
    // Whether a later change is sure to have another ctime, clocks of file systems being coarse.
    bool settled = false;
    bool is_empty = true;
    bool is_repository = false;             // By what is in it, or its name.
    bool has_git_link = false;              // A file ".git".
    std::vector<std::string> folders = {};  // Names.
    std::vector<std::string> hidden = {};   // Names.
  };
  using Folders = absl::flat_hash_map<std::string, std::shared_ptr<const Folder>>;  // By path.
  class Search;

  const Options options_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Folders> folders_ ABSL_GUARDED_BY(mutex_) = std::make_shared<Folders>();  // Of the last search.
};

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_HIDDEN_PATHS_H_
