#include "executors/directory/git_objects.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::directory {
namespace {

constexpr size_t kFanOut = 2;
constexpr size_t kRestOfSha1 = 38;
constexpr size_t kRestOfSha256 = 62;

bool IsHex(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); });
}

// The repository of a file that has objects, by its path: <repository>/objects/<2 digits>/<the rest>, or a pack.
std::optional<std::string_view> RepositoryOfObject(std::string_view path) {
  constexpr std::string_view kPack = "pack-";
  const std::string_view folder = ParentOf(path);
  const std::string_view objects = ParentOf(folder);
  if (NameOf(objects) != "objects") return std::nullopt;
  const std::string_view name = NameOf(path);
  const std::string_view group = NameOf(folder);
  const bool is_loose = group.size() == kFanOut && (name.size() == kRestOfSha1 || name.size() == kRestOfSha256) &&
                        IsHex(group) && IsHex(name);
  const bool is_packed = group == "pack" && name.substr(0, kPack.size()) == kPack;
  return is_loose || is_packed ? std::optional<std::string_view>(ParentOf(objects)) : std::nullopt;
}

}  // namespace

absl::Status LeaveObjects(const Directory& directory, std::vector<Change>& changes) {
  std::set<std::string> removed;
  for (const Change& change : changes) {
    if (change.after.kind == FileKind::kMissing) removed.insert(change.path);
  }
  for (Change& change : changes) {
    const bool is_left = change.before == change.after;
    if (change.before.kind != FileKind::kFile || (!is_left && change.after.kind != FileKind::kMissing)) continue;
    const std::optional<std::string_view> repository = RepositoryOfObject(change.path);
    if (!repository.has_value()) continue;
    if (is_left) {
      ASSIGN_OR_RETURN(const FileState found, directory.Look(change.path));
      if (found.kind == FileKind::kFile) continue;
      return PathError(ErrorCode::kConflict, change.path, "is gone, and git needs it; nothing was done");
    }
    const std::string head = JoinPath(*repository, "HEAD");
    if (removed.count(head) == 0 && directory.MayHave(head)) change.after = change.before;
  }
  return absl::OkStatus();
}

}  // namespace toolgate::executors::directory
