#include "executors/shell/change_plan.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/text/unified_diff.h"
#include "common/tool_error.h"
#include "executors/directory/content.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "executors/shell/hidden_paths.h"

namespace toolgate::executors::shell {
namespace {

using directory::Change;
using directory::Directory;
using directory::FileKind;
using directory::FileState;
using sandbox::EntryKind;
using sandbox::UpperEntry;

constexpr uint32_t kModeBits = 0777;
constexpr uint32_t kSetId = 06000;
constexpr uint32_t kOthersWrite = 0002;
// Longer files are not shown line by line.
constexpr int64_t kMaxDiffedBytes = int64_t{1} << 20;

struct Found {
  FileKind kind = FileKind::kMissing;
  uint32_t mode = 0;
};

Found LookAt(const Directory& directory, const std::string& path) {
  const Descriptor at = directory::OpenBeneath(directory.root(), path, O_PATH | O_NOFOLLOW);
  struct stat found {};
  if (!at.valid() || fstat(at.get(), &found) != 0) return {};
  return {directory::KindOf(found.st_mode), static_cast<uint32_t>(found.st_mode & 07777)};
}

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path[folder.size()] == '/' && path.substr(0, folder.size()) == folder;
}

class Planner {
 public:
  Planner(const Directory& directory, const std::vector<UpperEntry>& entries, bool keeps_git,
          const fibers::Cancellation& cancellation)
      : directory_(directory), keeps_git_(keeps_git), cancellation_(cancellation) {
    for (const UpperEntry& entry : entries) {
      if (entry.kind != EntryKind::kRemoved) upper_.insert(entry.path);
    }
  }

  absl::Status Add(const UpperEntry& entry) {
    RETURN_IF_ERROR(cancellation_.Check());
    if (!skipped_.empty() && IsBelow(entry.path, skipped_)) return absl::OkStatus();
    if (!directory::IsCanonical(entry.path)) return Skip(entry.path, "is too long a path");
    if (directory::IsOutOfReach(entry.path)) {
      return Skip(entry.path, absl::StrCat("has more than ", directory::kMaxComponents, " components"));
    }
    if (const auto pattern = DeniedBy(entry.path); pattern.has_value()) {
      return Skip(entry.path, absl::StrCat("is covered by \"", ToAbsl(*pattern), "\" of the deny list"));
    }
    const Found lower = LookAt(directory_, entry.path);
    if (lower.kind == FileKind::kOther) return Skip(entry.path, "is a special file, which tools leave alone");
    switch (entry.kind) {
      case EntryKind::kRemoved:
        return AddRemoval(entry.path, lower);
      case EntryKind::kFolder:
        return AddFolder(entry, lower);
      case EntryKind::kFile:
        return AddFile(entry, lower);
      case EntryKind::kLink:
        return AddInPlace(entry, lower, {entry.path, FileKind::kLink, 0, entry.target});
      case EntryKind::kSpecial:
        break;
    }
    return Skip(entry.path, "is a FIFO or a socket");
  }

  ChangePlan Take() { return std::move(plan_); }

 private:
  std::optional<std::string_view> DeniedBy(std::string_view path) const {
    const directory::DenyList& list = directory_.deny_list();
    if (!keeps_git_) return list.Find(path);
    if (IsGitSecret(path)) return kGitSecret;
    return list.FindBesideGit(path);
  }

  // Whether commands do not see the path, which is in a folder ".git": a file of that name in a repository, or beside
  // those of submodules and worktrees. A branch may have the name too.
  bool IsGitSecret(std::string_view path) const {
    bool in_git = false;
    bool in_repository = false;
    std::string folder;
    for (const std::string_view name : directory::ComponentsOf(path)) {
      if (in_git && name == kGitSecret) return true;
      const bool leads_on = name == kGit || name == "modules" || name == "worktrees";
      if (in_repository && !leads_on) return false;
      folder = directory::JoinPath(folder, name);
      in_git = in_git || name == kGit;
      in_repository = name == kGit || (in_git && IsRepository(folder));
    }
    return false;
  }

  bool IsRepository(const std::string& folder) const {
    const std::string head = directory::JoinPath(folder, "HEAD");
    return upper_.contains(head) || LookAt(directory_, head).kind != FileKind::kMissing;
  }

  // Leaves a path out, and all below it.
  absl::Status Skip(const std::string& path, std::string reason) {
    plan_.not_kept.push_back({path, std::move(reason)});
    skipped_ = path;
    return absl::OkStatus();
  }

  absl::Status AddRemoval(const std::string& path, const Found& lower) {
    if (lower.kind == FileKind::kMissing) return absl::OkStatus();
    if (lower.kind == FileKind::kFolder) {
      ASSIGN_OR_RETURN(const bool emptied, Empty(path));
      if (!emptied) return absl::OkStatus();
    }
    AddMissing(path);
    return absl::OkStatus();
  }

  // Once, also of what is in a folder that was replaced and in another one above it that was.
  void AddMissing(const std::string& path) {
    if (removed_.insert(path).second) plan_.changes.push_back({path, FileKind::kMissing});
  }

  absl::Status AddFolder(const UpperEntry& entry, const Found& lower) {
    if (lower.kind == FileKind::kFolder && entry.replaces) RETURN_IF_ERROR(Empty(entry.path).status());
    const uint32_t mode = KeptMode(entry, lower);
    const bool same = lower.kind == FileKind::kFolder && (lower.mode & kModeBits) == mode;
    if (!same) plan_.changes.push_back({entry.path, FileKind::kFolder, mode});
    return absl::OkStatus();
  }

  absl::Status AddFile(const UpperEntry& entry, const Found& lower) {
    NoteSetId(entry, lower);
    return AddInPlace(entry, lower, {entry.path, FileKind::kFile, KeptMode(entry, lower)});
  }

  // A file or link, perhaps in place of a folder.
  absl::Status AddInPlace(const UpperEntry& entry, const Found& lower, PlannedChange change) {
    if (lower.kind == FileKind::kFolder) {
      ASSIGN_OR_RETURN(const bool emptied, Empty(entry.path));
      if (!emptied) return absl::OkStatus();
    }
    plan_.changes.push_back(std::move(change));
    return absl::OkStatus();
  }

  // Without the right of all users of the machine to write, unless it was there before.
  uint32_t KeptMode(const UpperEntry& entry, const Found& lower) {
    const uint32_t lost = entry.mode & kOthersWrite & ~lower.mode;
    if (lost != 0) plan_.not_kept.push_back({entry.path, "loses the right of other users to write"});
    return entry.mode & kModeBits & ~lost;
  }

  void NoteSetId(const UpperEntry& entry, const Found& lower) {
    if ((entry.mode & kSetId & ~lower.mode) == 0 || entry.kind != EntryKind::kFile) return;
    plan_.not_kept.push_back({entry.path, "loses its set-user-ID and set-group-ID bits"});
  }

  // Removes all that the directory has below a folder and the upper layer has not. False when something must stay.
  absl::StatusOr<bool> Empty(const std::string& folder) {
    std::vector<std::string> below;
    absl::flat_hash_set<std::string> staying;
    RETURN_IF_ERROR(
        directory_.Walk(folder, directory::WalkDenied::kMark, cancellation_, [&](const directory::WalkEntry& entry) {
          below.push_back(entry.path);
          const bool is_denied = entry.is_denied && DeniedBy(entry.path).has_value();
          const bool stays = is_denied || entry.is_out_of_reach || entry.kind == FileKind::kOther;
          if (!stays) return directory::WalkStep::kContinue;
          std::string_view path = entry.path;
          // The folders above one that stays are there already.
          while (path.size() > folder.size() && staying.insert(std::string(path)).second) {
            path = directory::ParentOf(path);
          }
          return directory::WalkStep::kSkipFolder;
        }));
    for (const std::string& path : below) {
      if (staying.contains(path) || upper_.contains(path)) continue;
      AddMissing(path);
    }
    if (staying.empty()) return true;
    plan_.not_kept.push_back({folder, "holds files that tools may not change, which stay"});
    return false;
  }

  const Directory& directory_;
  const bool keeps_git_;
  const fibers::Cancellation& cancellation_;
  absl::flat_hash_set<std::string> upper_;
  absl::flat_hash_set<std::string> removed_;
  std::string skipped_;
  ChangePlan plan_;
};

// The state that a planned change leads to.
absl::StatusOr<FileState> StateAfter(const PlannedChange& change, int upper, const fibers::Cancellation& cancellation) {
  FileState state;
  state.kind = change.kind;
  state.mode = change.mode;
  state.target = change.target;
  if (change.kind != FileKind::kFile) return state;
  if (change.content.has_value()) {
    state.size = static_cast<int64_t>(change.content->size());
    state.sha256 = Sha256(*change.content);
    return state;
  }
  ASSIGN_OR_RETURN(const Descriptor file, sandbox::OpenUpperFile(upper, change.path));
  ASSIGN_OR_RETURN(directory::ContentDigest digest, directory::DigestOf(file.get(), change.path, cancellation));
  state.size = digest.size;
  state.sha256 = std::move(digest.sha256);
  return state;
}

// The text of a file, nothing when it is none or too long. `file` is read unless there was or will be none.
absl::StatusOr<std::optional<std::string>> TextOf(const FileState& state, const Descriptor& file,
                                                  const std::string& path) {
  if (state.kind != FileKind::kFile) return std::string();
  if (state.size > kMaxDiffedBytes || !file.valid()) return std::nullopt;
  ASSIGN_OR_RETURN(std::string text, directory::ReadWhole(file.get(), path, kMaxDiffedBytes));
  if (text.find('\0') != std::string::npos) return std::nullopt;
  return text;
}

std::string LineOf(const Change& change) {
  const std::string path = directory::ShownPath(change.path);
  const auto name = [](const FileState& state) { return ToAbsl(directory::KindName(state.kind)); };
  if (change.before.kind == change.after.kind && change.before.mode != change.after.mode) {
    return absl::StrFormat("mode of %s: %04o -> %04o\n", path, change.before.mode, change.after.mode);
  }
  if (change.before.kind == FileKind::kMissing) return absl::StrCat("added ", name(change.after), " ", path, "\n");
  if (change.after.kind == FileKind::kMissing) return absl::StrCat("removed ", name(change.before), " ", path, "\n");
  return absl::StrCat("changed ", name(change.after), " ", path, "\n");
}

absl::StatusOr<std::string> DiffOne(const Change& change, int upper, const Directory& directory, size_t max_bytes) {
  Descriptor old_file;
  Descriptor new_file;
  if (change.before.kind == FileKind::kFile) {
    old_file = directory::OpenBeneath(directory.root(), change.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!old_file.valid()) return directory::FileError(errno, change.path);
  }
  if (change.after.kind == FileKind::kFile) {
    ASSIGN_OR_RETURN(new_file, sandbox::OpenUpperFile(upper, change.path));
  }
  if (!old_file.valid() && !new_file.valid()) return LineOf(change);
  ASSIGN_OR_RETURN(const std::optional<std::string> before, TextOf(change.before, old_file, change.path));
  ASSIGN_OR_RETURN(const std::optional<std::string> after, TextOf(change.after, new_file, change.path));
  if (!before.has_value() || !after.has_value() || *before == *after) return LineOf(change);
  const std::string path = directory::ShownPath(change.path);
  text::DiffOptions options;
  const std::string old_name = change.before.kind == FileKind::kFile ? absl::StrCat("a/", path) : "/dev/null";
  const std::string new_name = change.after.kind == FileKind::kFile ? absl::StrCat("b/", path) : "/dev/null";
  options.old_name = old_name;
  options.new_name = new_name;
  options.max_bytes = max_bytes;
  return text::UnifiedDiff(*before, *after, options).text;
}

}  // namespace

absl::StatusOr<ChangePlan> PlanChanges(const Directory& directory, const std::vector<UpperEntry>& entries,
                                       bool keeps_git, const fibers::Cancellation& cancellation) {
  Planner planner(directory, entries, keeps_git, cancellation);
  for (const UpperEntry& entry : entries) RETURN_IF_ERROR(planner.Add(entry));
  return planner.Take();
}

absl::Status AddChanges(const ChangePlan& plan, int upper, directory::ChangeSet& set) {
  for (const PlannedChange& change : plan.changes) {
    if (change.content.has_value()) {
      RETURN_IF_ERROR(set.SetFile(change.path, *change.content, change.mode));
    } else if (change.kind == FileKind::kFile) {
      ASSIGN_OR_RETURN(const Descriptor file, sandbox::OpenUpperFile(upper, change.path));
      RETURN_IF_ERROR(set.SetFileFrom(change.path, file.get(), change.mode));
    } else if (change.kind == FileKind::kFolder) {
      RETURN_IF_ERROR(set.SetFolder(change.path, change.mode));
    } else if (change.kind == FileKind::kLink) {
      RETURN_IF_ERROR(set.SetLink(change.path, change.target));
    } else {
      RETURN_IF_ERROR(set.Remove(change.path));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Change>> CompareChanges(const ChangePlan& plan, int upper, const Directory& directory,
                                                   const fibers::Cancellation& cancellation) {
  std::vector<Change> changes;
  for (const PlannedChange& planned : plan.changes) {
    RETURN_IF_ERROR(cancellation.Check());
    Change change;
    change.path = planned.path;
    ASSIGN_OR_RETURN(change.before, directory.Look(planned.path, cancellation));
    ASSIGN_OR_RETURN(change.after, StateAfter(planned, upper, cancellation));
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

absl::StatusOr<std::string> DiffChanges(const std::vector<Change>& changes, int upper, const Directory& directory,
                                        size_t max_bytes, const fibers::Cancellation& cancellation) {
  std::string diff;
  for (const Change& change : changes) {
    RETURN_IF_ERROR(cancellation.Check());
    if (diff.size() >= max_bytes) return diff + "…\n";
    ASSIGN_OR_RETURN(const std::string one, DiffOne(change, upper, directory, max_bytes - diff.size()));
    diff += one;
  }
  return diff;
}

}  // namespace toolgate::executors::shell
