#include "executors/shell/hidden_paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::shell {
namespace {

// Folders of a repository in which others are.
constexpr std::string_view kInnerRepositories[] = {"modules", "worktrees"};
// A ctime this old is the clock's past on every file system.
constexpr time_t kSettled = 2;
// A longer path, with the name of something in the folder, cannot be passed to the kernel at once.
constexpr size_t kMaxFolderBytes = 3800;

bool SameTime(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// Signs of a repository among the names in a folder, or of what a linked worktree may take for its own.
struct GitNames {
  bool head = false;
  bool objects = false;
  bool refs = false;
  bool common = false;

  void Note(std::string_view name) {
    head = head || name == "HEAD";
    objects = objects || name == "objects";
    refs = refs || name == "refs";
    common = common || name == "commondir";
  }
  bool IsRepository() const { return (objects && refs) || (head && common); }
};

bool IsFolder(int parent, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat found {};
  return fstatat(parent, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode);
}

}  // namespace

// One search. Used by one thread.
class HiddenPaths::Search {
 public:
  Search(const directory::Directory& directory, const Options& options, const fibers::Cancellation& cancellation,
         const Folders& known)
      : directory_(directory), options_(options), cancellation_(cancellation), known_(known) {}

  absl::Status Run() {
    std::vector<std::string> pending = {""};
    while (!pending.empty()) {
      const std::string path = std::move(pending.back());
      pending.pop_back();
      RETURN_IF_ERROR(cancellation_.Check());
      ASSIGN_OR_RETURN(const std::shared_ptr<const Folder> folder, FolderAt(path));
      const bool is_hidden = folder == nullptr || (IsDeepest(path) && !folder->is_empty);
      RETURN_IF_ERROR(is_hidden ? Hide(path) : HideIn(path, *folder, pending));
      if (!is_hidden && found_.size() < options_.max_remembered) found_.emplace(path, folder);
    }
    return absl::OkStatus();
  }

  Found Take() { return {std::move(hidden_), std::move(git_)}; }
  Folders TakeFolders() { return std::move(found_); }

 private:
  // Whether everything in the folder is out of reach.
  static bool IsDeepest(std::string_view path) { return directory::DepthOf(path) >= directory::kMaxComponents; }

  absl::Status HideIn(const std::string& path, const Folder& folder, std::vector<std::string>& pending) {
    if (folder.is_repository) git_.repositories.push_back(path);
    if (folder.has_git_link) git_.links.push_back(directory::JoinPath(path, kGit));
    for (const std::string& name : folder.hidden) RETURN_IF_ERROR(Hide(directory::JoinPath(path, name)));
    for (const std::string& name : folder.folders) pending.push_back(directory::JoinPath(path, name));
    return absl::OkStatus();
  }

  absl::Status Hide(std::string path) {
    if (path.empty()) return absl::InternalError("cannot read a workspace's directory");
    hidden_.push_back(std::move(path));
    if (hidden_.size() <= options_.max_paths) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("the workspace has more than ", options_.max_paths, " paths that are kept from commands"));
  }

  // Null when the folder cannot be read: a command could make readable what the service has not looked into. One that
  // has vanished is hidden too: it may come back.
  absl::StatusOr<std::shared_ptr<const Folder>> FolderAt(const std::string& path) const {
    if (path.size() > kMaxFolderBytes) return nullptr;
    const Descriptor open = directory::OpenBeneath(directory_.root(), path, O_RDONLY | O_DIRECTORY);
    struct stat present {};
    if (!open.valid() || fstat(open.get(), &present) != 0) return nullptr;
    const auto known = known_.find(path);
    if (known != known_.end() && IsSame(*known->second, present)) return known->second;
    return List(open.get(), path, present);
  }

  static bool IsSame(const Folder& known, const struct stat& present) {
    return known.settled && known.inode == present.st_ino && SameTime(known.changed, present.st_ctim);
  }

  absl::StatusOr<std::shared_ptr<const Folder>> List(int open, const std::string& path,
                                                     const struct stat& present) const {
    const auto folder = std::make_shared<Folder>(
        Folder{present.st_ino, present.st_ctim, time(nullptr) - present.st_ctim.tv_sec >= kSettled});
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(openat(open, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                                                      closedir);
    if (entries == nullptr) return nullptr;
    const bool in_git = IsInGit(path);
    GitNames git;
    // Once for the folder, not for each name in it.
    const directory::DenyList::State state = directory_.deny_list().StateOf(path);
    while (const dirent* entry = readdir(entries.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      RETURN_IF_ERROR(cancellation_.Check());
      folder->is_empty = false;
      git.Note(name);
      if (in_git ? name == kGitSecret : IsDenied(state, name)) {
        folder->hidden.emplace_back(name);
      } else if (IsFolder(open, *entry)) {
        folder->folders.emplace_back(name);
      } else if (name == kGit) {
        folder->has_git_link = true;
      }
    }
    folder->is_repository = git.IsRepository() || directory::NameOf(path) == kGit;
    if (in_git && folder->is_repository) KeepInnerRepositories(folder->folders);
    return folder;
  }

  // The other folders of a repository are its own.
  static void KeepInnerRepositories(std::vector<std::string>& folders) {
    folders.erase(std::remove_if(folders.begin(), folders.end(),
                                 [](const std::string& name) {
                                   return name != kGit &&
                                          std::find(std::begin(kInnerRepositories), std::end(kInnerRepositories),
                                                    name) == std::end(kInnerRepositories);
                                 }),
                  folders.end());
  }

  bool IsDenied(const directory::DenyList::State& folder, std::string_view name) const {
    const directory::DenyList& list = directory_.deny_list();
    const directory::DenyList::State state = list.Step(folder, name);
    return state.is_denied() && !(options_.show_git && name == kGit && list.PatternOf(state) == kGit);
  }

  const directory::Directory& directory_;
  const Options& options_;
  const fibers::Cancellation& cancellation_;
  const Folders& known_;
  Folders found_;
  std::vector<std::string> hidden_;
  GitPlaces git_;
};

absl::StatusOr<HiddenPaths::Found> HiddenPaths::Find(const directory::Directory& directory,
                                                     const fibers::Cancellation& cancellation) {
  std::shared_ptr<const Folders> known;
  {
    const absl::MutexLock lock(&mutex_);
    known = folders_;
  }
  Search search(directory, options_, cancellation, *known);
  RETURN_IF_ERROR(search.Run());
  // Folders that are gone are forgotten.
  auto found = std::make_shared<const Folders>(search.TakeFolders());
  const absl::MutexLock lock(&mutex_);
  folders_ = std::move(found);
  return search.Take();
}

size_t HiddenPaths::remembered() const {
  const absl::MutexLock lock(&mutex_);
  return folders_->size();
}

}  // namespace toolgate::executors::shell
