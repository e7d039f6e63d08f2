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

constexpr std::string_view kGit = ".git";
// Addresses of other repositories, often with a password in them, and copies of all this for modules.
constexpr std::string_view kGitSecrets[] = {"config", "config.worktree", "credentials", "modules", "worktrees"};
// A ctime this old is the clock's past on every file system.
constexpr time_t kSettled = 2;
// A path below cannot be passed to the kernel at once.
constexpr size_t kMaxPathBytes = 3900;

bool SameTime(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool IsFolder(int parent, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat found {};
  return fstatat(parent, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> HiddenPaths::Find() {
  const absl::MutexLock lock(&mutex_);
  Folders found;
  std::vector<std::string> hidden;
  absl::Status searched = Search("", found, hidden);
  // Folders that are gone are forgotten.
  folders_ = std::move(found);
  if (!searched.ok()) return searched;
  return hidden;
}

absl::Status HiddenPaths::Search(const std::string& path, Folders& found, std::vector<std::string>& hidden) {
  std::optional<Folder> folder = FolderAt(path);
  if (!folder.has_value()) {
    // A command could make a folder readable that the service has not looked into. One that has vanished is hidden too:
    // it may come back.
    if (path.empty()) return absl::InternalError("cannot read a workspace's directory");
    hidden.push_back(path);
    return absl::OkStatus();
  }
  for (const std::string& name : folder->hidden) hidden.push_back(directory::JoinPath(path, name));
  if (hidden.size() > options_.max_paths) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the workspace has more than ", options_.max_paths, " paths that are kept from commands"));
  }
  for (const std::string& name : folder->folders) {
    RETURN_IF_ERROR(Search(directory::JoinPath(path, name), found, hidden));
  }
  found.emplace(path, *std::move(folder));
  return absl::OkStatus();
}

bool HiddenPaths::IsKnown(const std::string& path, const struct stat& present) const {
  const auto known = folders_.find(path);
  return known != folders_.end() && known->second.settled && known->second.inode == present.st_ino &&
         SameTime(known->second.changed, present.st_ctim);
}

std::optional<HiddenPaths::Folder> HiddenPaths::FolderAt(const std::string& path) {
  if (path.size() > kMaxPathBytes) return std::nullopt;
  const Descriptor open = directory::OpenBeneath(directory_->root(), path, O_RDONLY | O_DIRECTORY);
  struct stat present {};
  if (!open.valid() || fstat(open.get(), &present) != 0) return std::nullopt;
  if (IsKnown(path, present)) return std::move(folders_.at(path));
  return List(open.get(), path, present);
}

std::optional<HiddenPaths::Folder> HiddenPaths::List(int open, const std::string& path,
                                                     const struct stat& present) const {
  Folder folder{present.st_ino, present.st_ctim, time(nullptr) - present.st_ctim.tv_sec >= kSettled};
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(openat(open, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                                                    closedir);
  if (entries == nullptr) return std::nullopt;
  while (const dirent* entry = readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (IsHidden(name, path)) {
      folder.hidden.emplace_back(name);
    } else if (directory::NameOf(path) == kGit || name == kGit) {
      if (name == kGit && IsFolder(open, *entry)) folder.folders.emplace_back(name);
    } else if (IsFolder(open, *entry)) {
      folder.folders.emplace_back(name);
    }
  }
  return folder;
}

bool HiddenPaths::IsHidden(std::string_view name, const std::string& path) const {
  if (directory::NameOf(path) == kGit) {
    return std::find(std::begin(kGitSecrets), std::end(kGitSecrets), name) != std::end(kGitSecrets);
  }
  const std::optional<std::string_view> pattern = directory_->deny_list().Find(directory::JoinPath(path, name));
  if (!pattern.has_value()) return false;
  return !(options_.show_git && name == kGit && *pattern == kGit);
}

}  // namespace toolgate::executors::shell
