#include "executors/directory/change_runner.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::directory {
namespace {

bool HasContent(const FileState& state) { return state.kind == FileKind::kFile || state.kind == FileKind::kLink; }

bool IsFolderMode(const Change& change) {
  return change.after.kind == FileKind::kFolder && change.before.kind == FileKind::kFolder;
}

}  // namespace

bool LeavesOld(const Change& change) {
  return change.before != change.after && HasContent(change.before) && !OnlyModeDiffers(change.before, change.after);
}
bool TakesNew(const Change& change) {
  return change.before != change.after && HasContent(change.after) && !OnlyModeDiffers(change.before, change.after);
}
std::vector<size_t> OrderOf(const std::vector<Change>& changes) {
  const auto phase = [&](size_t i) {
    if (changes[i].after.kind == FileKind::kMissing) return 0;
    return IsFolderMode(changes[i]) ? 2 : 1;
  };
  std::vector<size_t> order(changes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (phase(a) != phase(b)) return phase(a) < phase(b);
    return phase(a) == 1 ? changes[a].path < changes[b].path : changes[b].path < changes[a].path;
  });
  return order;
}

absl::Status ChangeRunner::Run() {
  for (const size_t n : order_) {
    directory_.Step("about to move");
    if (absl::Status stopped = cancellation_.Check(); !stopped.ok()) return RollBack(std::move(stopped));
    const Change& change = changes_[n];
    if (absl::Status moved = staging_.Move(change.path, change.before, change.after, n); !moved.ok()) {
      return RollBack(std::move(moved));
    }
    done_.push_back(n);
    directory_.Step("moved");
  }
  return Finish();
}

absl::Status ChangeRunner::Resume(const Restage& restage) {
  for (const size_t n : order_) {
    directory_.Step("about to resume");
    if (absl::Status stopped = cancellation_.Check(); !stopped.ok()) return RollBack(std::move(stopped));
    if (absl::Status moved = ResumeOne(n, restage); !moved.ok()) return RollBack(std::move(moved));
    done_.push_back(n);
  }
  return Finish();
}

absl::Status ChangeRunner::ResumeOne(size_t n, const Restage& restage) {
  const Change& change = changes_[n];
  if (change.before == change.after) return absl::OkStatus();
  ASSIGN_OR_RETURN(const FileState found, directory_.Look(change.path));
  if (Matches(found, change.after)) return CheckOld(change, n);
  if (!Matches(found, change.before)) return Changed(change.path);
  if (TakesNew(change)) {
    ASSIGN_OR_RETURN(const FileState staged, staging_.Look(n));
    if (staged != change.after) {
      if (restage == nullptr) return absl::InternalError("the new content is no longer in the staging folder");
      RETURN_IF_ERROR(restage(n));
    }
  }
  return staging_.Move(change.path, change.before, change.after, n);
}

absl::Status ChangeRunner::CheckOld(const Change& change, size_t n) const {
  if (!LeavesOld(change)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const FileState old, staging_.Look(n));
  if (Matches(old, change.before)) return absl::OkStatus();
  if (old.kind != FileKind::kMissing) RETURN_IF_ERROR(staging_.Move(change.path, change.after, old, n));
  return Changed(change.path);
}

absl::Status ChangeRunner::Finish() {
  for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
    const Change& change = changes_[*n];
    const bool restricted = (change.after.mode & 0700) != 0700;
    if (change.after.kind != FileKind::kFolder || IsFolderMode(change) || !restricted) continue;
    FileState filled = change.after;
    filled.mode |= 0700;
    if (absl::Status set = staging_.Move(change.path, filled, change.after, *n); !set.ok()) {
      return RollBack(std::move(set));
    }
  }
  std::set<std::string_view> folders;
  for (const Change& change : changes_) folders.insert(ParentOf(change.path));
  for (const std::string_view folder : folders) {
    const Descriptor open = OpenBeneath(directory_.root(), folder, O_RDONLY | O_DIRECTORY);
    if (open.valid()) fsync(open.get());
  }
  directory_.Step("synced");
  return absl::OkStatus();
}

absl::Status ChangeRunner::RollBack(absl::Status reason) {
  for (auto n = done_.rbegin(); n != done_.rend(); ++n) {
    directory_.Step("about to roll back");
    const Change& change = changes_[*n];
    const absl::Status back =
        change.before == change.after ? absl::OkStatus() : staging_.Move(change.path, change.after, change.before, *n);
    if (!back.ok()) left_.push_back(change.path);
  }
  if (left_.empty()) return reason;
  std::string names;
  for (const std::string& path : left_) absl::StrAppend(&names, names.empty() ? "" : ", ", ShownPath(path));
  return MakeError(ErrorCode::kConflict,
                   absl::StrCat("the change failed, and could not be taken back where something else had changed "
                                "files meanwhile: ",
                                names));
}

absl::Status ChangeRunner::Changed(std::string_view path) {
  return PathError(ErrorCode::kConflict, path, "has changed since; nothing was done");
}

}  // namespace toolgate::executors::directory
