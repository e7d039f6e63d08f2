// The directories of all workspaces, as configured.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_DIRECTORIES_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_DIRECTORIES_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/recent_table.h"
#include "executors/directory/directory.h"
#include "executors/tool_switch.h"

namespace toolgate::executors::directory {

// One object for all families that work on files, so that they share locks and counts. Keeps the directories that were
// used last: each holds a descriptor, and callers choose the ids of workspaces. One that is in use is never dropped, so
// that no two objects are of one directory. Thread-safe.
class Directories {
 public:
  struct Options {
    static constexpr size_t kMaxOpen = 256;

    std::string root;  // A folder with one for each workspace, made on demand; empty: none.
    std::map<std::string, std::string> workspaces;  // Folders by workspace id; they come first.
    DenyList deny_list;
    Limits limits = {};
    std::function<void(std::string_view)> on_step = nullptr;  // See Directory::OnStep.
    size_t max_open = kMaxOpen;                               // Directories; those in use may be more.
  };
  explicit Directories(Options options);

  // The directory of a workspace, opened on first use. NOT_CONFIGURED, naming the setting, when it has none or it
  // cannot be served.
  absl::StatusOr<std::shared_ptr<Directory>> Of(std::string_view workspace_id) ABSL_LOCKS_EXCLUDED(mutex_);

  // Directories that are open.
  size_t open_count() const ABSL_LOCKS_EXCLUDED(mutex_);

  // OK, or why tools of files cannot serve the workspace. Opens and makes nothing.
  absl::Status Check(std::string_view workspace_id) const;

 private:
  absl::StatusOr<std::shared_ptr<Directory>> Open(std::string_view workspace_id) const;
  // Null: it is not open.
  std::shared_ptr<Directory> FindOpen(std::string_view workspace_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  const absl::Status support_;  // Of the machine.
  mutable absl::Mutex mutex_;
  RecentTable<std::shared_ptr<Directory>> open_ ABSL_GUARDED_BY(mutex_);
};

// For FamilyTools::available.
Availability AvailabilityOf(std::shared_ptr<const Directories> directories);

// The name of a workspace's folder below the root: its id where that is a plain name, otherwise a digest of it.
std::string FolderOfWorkspace(std::string_view workspace_id);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_DIRECTORIES_H_
