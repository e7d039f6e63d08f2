#include "executors/shell/git_guard.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/content.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "executors/shell/git_check.h"
#include "executors/shell/git_config.h"
#include "executors/shell/sandbox/view.h"

namespace toolgate::executors::shell {
namespace {

using directory::Directory;
using directory::FileKind;
using directory::JoinPath;
using launcher::Guard;

// --- guards ---------------------------------------------------------------------------------------------------------

class GuardMaker {
 public:
  GuardMaker(const Directory& directory, GitUse use) : directory_(directory), root_(RootPath(directory)), use_(use) {}

  void AddRepository(const std::string& folder) {
    if (!Has(folder, "HEAD")) {
      // No repository, but a linked worktree may take configuration and hooks from there.
      if (Has(folder, "objects") && Has(folder, "refs")) AddFound(folder);
      return;
    }
    if (use_ == GitUse::kReadOnly && directory::NameOf(folder) == kGit) {
      guards_.push_back({folder, Guard::Kind::kReadOnly, ""});
    }
    const bool is_covered = use_ == GitUse::kReadOnly && IsInGit(folder);
    if (Has(folder, "commondir")) {
      // A linked worktree: git removes its folder, so what is not there is only looked at afterwards.
      AddShown(JoinPath(folder, "gitdir"));
      if (Has(folder, "config.worktree")) AddConfig(JoinPath(folder, "config.worktree"), is_covered);
      return;
    }
    for (const std::string_view name : kGitConfigs) AddConfig(JoinPath(folder, name), is_covered);
    if (is_covered) return;
    Add(JoinPath(folder, "hooks"), Guard::Kind::kFolder);
    for (const std::string_view name : kEmptyGitFiles) Add(JoinPath(folder, name), Guard::Kind::kContent);
  }

  void AddLink(const std::string& path) {
    if (use_ == GitUse::kReadOnly) {
      guards_.push_back({path, Guard::Kind::kReadOnly, ""});
    }
    AddShown(path);
  }

  std::vector<Guard> Take() { return std::move(guards_); }

 private:
  bool Has(const std::string& folder, std::string_view name) const {
    return KindIn(directory_, JoinPath(folder, name)) != FileKind::kMissing;
  }

  // Guards only what is there: the folder may be anything.
  void AddFound(const std::string& folder) {
    for (const std::string_view name : kGitConfigs) {
      const std::string path = JoinPath(folder, name);
      if (KindIn(directory_, path) == FileKind::kFile) AddConfig(path, false);
    }
    for (const std::string_view name : kEmptyGitFiles) {
      const std::string path = JoinPath(folder, name);
      if (KindIn(directory_, path) == FileKind::kFile) Add(path, Guard::Kind::kContent);
    }
    if (Has(folder, "hooks")) Add(JoinPath(folder, "hooks"), Guard::Kind::kFolder);
  }

  // Guards the path as it is, or puts `missing` in its place.
  void Add(std::string path, Guard::Kind missing) {
    const bool is_there = KindIn(directory_, path) != FileKind::kMissing;
    guards_.push_back({std::move(path), is_there ? Guard::Kind::kReadOnly : missing, ""});
  }

  void AddConfig(const std::string& path, bool is_covered) {
    const std::optional<std::string> text = TextIn(directory_, path);
    if (!text.has_value()) {
      if (!is_covered) Add(path, Guard::Kind::kContent);
      return;
    }
    std::string shown = MoveRoot(WithoutCredentials(*text), root_, directory::kShellFolder);
    // A text cannot hold zero bytes on its way to the launcher, nor does git read a configuration with them.
    shown.resize(std::min(shown.find('\0'), shown.size()));
    if (shown != *text) {
      guards_.push_back({path, is_covered ? Guard::Kind::kShown : Guard::Kind::kContent, std::move(shown)});
    } else if (!is_covered) {
      guards_.push_back({path, Guard::Kind::kReadOnly, ""});
    }
  }

  // A file that leads to a folder of the directory by its path on the machine.
  void AddShown(const std::string& path) {
    const std::optional<std::string> text = TextIn(directory_, path);
    if (!text.has_value()) return;
    std::string shown = MoveRoot(*text, root_, directory::kShellFolder);
    if (shown == *text || shown.find('\0') != std::string::npos) return;
    guards_.push_back({path, Guard::Kind::kShown, std::move(shown)});
  }

  const Directory& directory_;
  const std::string root_;
  const GitUse use_;
  std::vector<Guard> guards_;
};

// --- paths of the machine -------------------------------------------------------------------------------------------

// Whether git writes absolute paths of this directory into the file.
bool NamesFolders(std::string_view path) {
  const std::string_view name = directory::NameOf(path);
  const std::string_view above = directory::NameOf(directory::ParentOf(directory::ParentOf(path)));
  return name == kGit || (name == "gitdir" && above == "worktrees") || name == "config" || name == "config.worktree";
}

// A file ".git" leads to its repository by a relative path, which holds wherever the directory is mounted. The other
// way git 2.47 and older know only absolute ones.
std::string OnMachine(const Directory& directory, const std::string& path, const std::string& text) {
  const std::string absolute = MoveRoot(text, directory::kShellFolder, RootPath(directory));
  if (directory::NameOf(path) != kGit) return absolute;
  const std::string beginning = absl::StrCat(ToAbsl(kGitDir), directory::kShellFolder, "/");
  if (text.substr(0, beginning.size()) != beginning) return text;
  if (TextIn(directory, path) == absolute) return absolute;
  std::string up;
  for (size_t level = directory::DepthOf(path); level > 1; --level) up += "../";
  return absl::StrCat(ToAbsl(kGitDir), up, text.substr(beginning.size()));
}

void NameAsOnMachine(const Directory& directory, int upper, ChangePlan& plan) {
  for (PlannedChange& change : plan.changes) {
    if (change.kind != FileKind::kFile || !NamesFolders(change.path)) continue;
    const absl::StatusOr<Descriptor> file = sandbox::OpenUpperFile(upper, change.path);
    if (!file.ok()) continue;
    const absl::StatusOr<std::string> text = directory::ReadWhole(file->get(), change.path, kMaxGitText);
    if (!text.ok() || text->find(directory::kShellFolder) == std::string::npos) continue;
    const bool is_link = directory::NameOf(change.path) == kGit;
    if (is_link && text->substr(0, kGitDir.size()) != kGitDir) continue;
    if (!is_link && !IsInGit(change.path)) continue;
    if (std::string moved = OnMachine(directory, change.path, *text); moved != *text) change.content = std::move(moved);
  }
}

}  // namespace

std::vector<Guard> MakeGuards(const Directory& directory, const GitPlaces& places, GitUse use) {
  if (use == GitUse::kHidden) return {};
  GuardMaker maker(directory, use);
  for (const std::string& folder : places.repositories) maker.AddRepository(folder);
  for (const std::string& path : places.links) maker.AddLink(path);
  return maker.Take();
}

absl::Status CheckGit(const Directory& directory, const std::vector<sandbox::UpperEntry>& entries, int upper,
                      GitUse use, ChangePlan& plan, const fibers::Cancellation& cancellation) {
  if (use != GitUse::kKeep) {
    for (const sandbox::UpperEntry& entry : entries) {
      if (!IsInGit(entry.path)) continue;
      return MakeError(ErrorCode::kForbidden,
                       absl::StrCat("\"", directory::ShownPath(entry.path),
                                    "\" is version control's, which commands may not change here; nothing of the "
                                    "command was kept. The setting shell.git says so."));
    }
  }
  RETURN_IF_ERROR(CheckRepositories(directory, upper, plan, cancellation));
  NameAsOnMachine(directory, upper, plan);
  return absl::OkStatus();
}

}  // namespace toolgate::executors::shell
