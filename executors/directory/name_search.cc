#include "executors/directory/name_search.h"

#include <dirent.h>
#include <fcntl.h>

#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/file_names.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/text/edit_distance.h"
#include "common/text/look_alike.h"
#include "common/text/utf8.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "executors/outside_quote.h"

namespace toolgate::executors::directory {
namespace {

// Names of one folder that are looked at.
constexpr size_t kMaxNames = 50'000;
constexpr size_t kMaxQuoted = 3;

bool Exists(const Directory& directory, std::string_view path) {
  const absl::StatusOr<Resolved> resolved = directory.Resolve(path, Directory::LastLink::kKeep);
  return resolved.ok() && resolved->handle.valid();
}

// Names that may be told: of text, and not on the deny list. None of a folder that cannot be listed.
std::vector<std::string> NamesIn(const Directory& directory, std::string_view folder) {
  std::vector<std::string> names;
  const absl::StatusOr<Resolved> resolved = directory.Resolve(folder);
  if (!resolved.ok() || resolved->kind() != FileKind::kFolder) return names;
  const DenyList& deny_list = directory.deny_list();
  const DenyList::State state = deny_list.StateOf(resolved->path);
  if (state.is_denied()) return names;
  Descriptor open = OpenBeneath(directory.root(), resolved->path, O_RDONLY | O_DIRECTORY);
  if (!open.valid()) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(open.get()), closedir);
  if (entries == nullptr) return names;
  open.Release();
  for (const dirent* entry = readdir(entries.get()); entry != nullptr; entry = readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || !text::IsWellFormedUtf8(name)) continue;
    if (deny_list.Step(state, name).is_denied()) continue;
    names.emplace_back(name);
    if (names.size() == kMaxNames) break;
  }
  return names;
}

std::vector<std::string> AlikeIn(const Directory& directory, std::string_view folder, std::string_view name) {
  std::vector<std::string> alike;
  for (std::string& known : NamesIn(directory, folder)) {
    if (text::LooksAlike(known, name)) alike.push_back(std::move(known));
  }
  return alike;
}

// As JSON, without its quotes, with all characters beyond ASCII escaped: how a caller can write exactly this name.
std::string Escaped(std::string_view path) {
  const std::string quoted = Json(std::string(path)).dump(-1, ' ', /*ensure_ascii=*/true);
  return quoted.substr(1, quoted.size() - 2);
}

absl::Status Ambiguous(std::string_view folder, std::string_view name, const std::vector<std::string>& alike) {
  std::string list;
  for (size_t i = 0; i < alike.size() && i < kMaxQuoted; ++i) {
    absl::StrAppend(&list, i == 0 ? "" : ", ", "\"", Escaped(JoinPath(folder, alike[i])), "\"");
  }
  ToolError error =
      FileNameError(ErrorCode::kConflict, ShownPath(JoinPath(folder, name)),
                    absl::StrCat("does not exist, but ", alike.size(), " names look the same: ", list,
                                 alike.size() > kMaxQuoted ? ", …" : "", "; write the one that is meant"));
  MarkQuotesOutside(error);
  return ToStatus(error);
}

}  // namespace

absl::StatusOr<std::string> FindAlike(const Directory& directory, std::string_view path) {
  if (path.empty() || Exists(directory, path)) return std::string(path);
  std::string found;
  bool lost = false;
  for (const std::string_view name : ComponentsOf(path)) {
    std::string next = JoinPath(found, name);
    if (!lost && !Exists(directory, next)) {
      const std::vector<std::string> alike = AlikeIn(directory, found, name);
      if (alike.size() > 1) return Ambiguous(found, name, alike);
      lost = alike.empty();
      if (!lost) next = JoinPath(found, alike.front());
    }
    found = std::move(next);
  }
  return found;
}

absl::Status RefuseAlike(const Directory& directory, std::string_view path) {
  ASSIGN_OR_RETURN(const std::string alike, FindAlike(directory, path));
  if (alike == path) return absl::OkStatus();
  const std::string escaped = Escaped(alike);
  ToolError error = FileNameError(
      ErrorCode::kConflict, ShownPath(path),
      absl::StrCat("does not exist, but there is a name that looks the same and is made of other characters (accents "
                   "apart from their letters, or another kind of blank). To write there, name it with these escapes: "
                   "\"",
                   escaped, "\"; for a new file choose a name that can be told from it"));
  error.facts.emplace_back(kOtherFileFact, ShownPath(alike));
  error.facts.emplace_back(kEscapedFileFact, escaped);
  MarkQuotesOutside(error);
  return ToStatus(error);
}

absl::Status WithNearest(const Directory& directory, std::string_view path, const absl::Status& failed) {
  std::optional<ToolError> error = GetToolError(failed);
  if (!error.has_value() || error->code != ErrorCode::kNotFound) return failed;
  std::string folder;
  for (const std::string_view name : ComponentsOf(path)) {
    const std::string next = JoinPath(folder, name);
    if (Exists(directory, next)) {
      folder = next;
      continue;
    }
    const std::vector<std::string> names = NamesIn(directory, folder);
    const std::string_view nearest = text::NearestName(name, {names.begin(), names.end()});
    if (nearest.empty()) return failed;
    const std::string shown = ShownPath(JoinPath(folder, nearest));
    absl::StrAppend(&error->message, "; did you mean \"", shown, "\"?");
    error->facts.emplace_back(kOtherFileFact, shown);
    MarkQuotesOutside(*error);
    return ToStatus(*error);
  }
  return failed;
}

}  // namespace toolgate::executors::directory
