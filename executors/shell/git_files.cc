#include "executors/shell/git_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/directory/content.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "executors/shell/sandbox/upper_layer.h"

namespace toolgate::executors::shell {

using directory::Directory;
using directory::FileKind;

bool IsInGit(std::string_view path) {
  const std::vector<std::string_view> names = directory::ComponentsOf(path);
  return std::find(names.begin(), names.end(), kGit) != names.end();
}

bool IsWithin(std::string_view path, std::string_view folder) {
  return folder.empty() || path == folder ||
         (path.size() > folder.size() && path[folder.size()] == '/' && path.substr(0, folder.size()) == folder);
}

std::string RootPath(const Directory& directory) {
  char target[PATH_MAX];
  const ssize_t size = readlink(absl::StrCat("/proc/self/fd/", directory.root()).c_str(), target, sizeof(target));
  return size <= 0 ? directory.path() : std::string(target, static_cast<size_t>(size));
}

FileKind KindIn(const Directory& directory, const std::string& path) {
  const Descriptor at = directory::OpenBeneath(directory.root(), path, O_PATH | O_NOFOLLOW);
  struct stat found {};
  if (!at.valid() || fstat(at.get(), &found) != 0) return FileKind::kMissing;
  return directory::KindOf(found.st_mode);
}

std::optional<std::string> TextIn(const Directory& directory, const std::string& path, int64_t max_bytes) {
  if (KindIn(directory, path) != FileKind::kFile) return std::nullopt;
  const Descriptor file = directory::OpenBeneath(directory.root(), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.valid()) return std::nullopt;
  absl::StatusOr<std::string> text = directory::ReadWhole(file.get(), path, max_bytes);
  if (!text.ok()) return std::nullopt;
  return *std::move(text);
}

MergedFiles::MergedFiles(const Directory& directory, int upper, const ChangePlan& plan)
    : directory_(directory), upper_(upper) {
  for (const PlannedChange& change : plan.changes) changes_.emplace(change.path, &change);
}

const PlannedChange* MergedFiles::ChangeOf(std::string_view path) const {
  const auto found = changes_.find(path);
  return found == changes_.end() ? nullptr : found->second;
}

bool MergedFiles::HasChangeBelow(std::string_view folder) const {
  const auto at = changes_.lower_bound(directory::JoinPath(folder, ""));
  return at != changes_.end() && IsWithin(at->first, folder);
}

FileKind MergedFiles::KindOf(const std::string& path) const {
  if (const PlannedChange* change = ChangeOf(path); change != nullptr) return change->kind;
  return Before(path);
}

std::optional<std::string> MergedFiles::TextOf(const std::string& path, int64_t max_bytes) const {
  const PlannedChange* change = ChangeOf(path);
  if (change == nullptr) return TextIn(directory_, path, max_bytes);
  if (change->kind != FileKind::kFile) return std::nullopt;
  if (change->content.has_value()) return change->content;
  const absl::StatusOr<Descriptor> file = sandbox::OpenUpperFile(upper_, path);
  if (!file.ok()) return std::nullopt;
  absl::StatusOr<std::string> text = directory::ReadWhole(file->get(), path, max_bytes);
  if (!text.ok()) return std::nullopt;
  return *std::move(text);
}

absl::StatusOr<std::vector<std::string>> MergedFiles::Below(const std::string& folder,
                                                            const fibers::Cancellation& cancellation) const {
  std::vector<std::string> below;
  // Names such as "hooks-a" are between the folder and what is in it.
  for (auto at = changes_.lower_bound(directory::JoinPath(folder, ""));
       at != changes_.end() && IsWithin(at->first, folder); ++at) {
    if (at->second->kind != FileKind::kMissing && at->second->kind != FileKind::kFolder) below.emplace_back(at->first);
  }
  if (Before(folder) != FileKind::kFolder) return below;
  RETURN_IF_ERROR(
      directory_.Walk(folder, directory::WalkDenied::kIgnore, cancellation, [&](const directory::WalkEntry& entry) {
        if (entry.kind != FileKind::kFolder && !IsChanged(entry.path)) below.push_back(entry.path);
        return directory::WalkStep::kContinue;
      }));
  return below;
}

std::optional<std::string> MergedFiles::Resolve(std::string_view folder, std::string_view target) const {
  constexpr std::string_view kInside = directory::kShellFolder;
  if (target.empty() || target.find('\0') != std::string_view::npos) return std::nullopt;
  std::string path(folder);
  if (target.front() == '/') {
    if (!IsWithin(target, kInside)) return std::nullopt;
    target.remove_prefix(std::min(target.size(), kInside.size() + 1));
    if (!target.empty() && !directory::IsCanonical(target)) return std::nullopt;
    path.clear();
  }
  for (const absl::string_view name : absl::StrSplit(ToAbsl(target), '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (path.empty() || KindOf(path) != FileKind::kFolder) return std::nullopt;
      path = std::string(directory::ParentOf(path));
      continue;
    }
    path = directory::JoinPath(path, FromAbsl(name));
    if (KindOf(path) == FileKind::kLink) return std::nullopt;
  }
  return path;
}

}  // namespace toolgate::executors::shell
