#include "executors/shell/git_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/git_index.h"
#include "executors/directory/path.h"
#include "executors/shell/git_config.h"
#include "executors/shell/git_files.h"

namespace toolgate::executors::shell {
namespace {

using directory::Directory;
using directory::FileKind;
using directory::JoinPath;

constexpr int64_t kMaxIndexBytes = int64_t{64} << 20;
constexpr size_t kSha1Bytes = 20;
constexpr size_t kSha256Bytes = 32;
// Folders through which a link would lead elsewhere.
constexpr std::string_view kFolders[] = {"hooks", "info", "objects", "objects/info", "modules", "worktrees"};
constexpr std::string_view kTodos[] = {"rebase-merge/git-rebase-todo", "sequencer/todo"};
// Git holds one while it changes the file without the ending.
constexpr std::string_view kLocks[] = {"index.lock", "HEAD.lock"};

absl::Status Refused(std::string_view path, std::string_view problem, std::string_view remedy) {
  return MakeError(ErrorCode::kForbidden, absl::StrCat("\"", directory::ShownPath(path), "\" ", ToAbsl(problem),
                                                       "; nothing of the command was kept. ", ToAbsl(remedy)));
}

// Without the ends of lines behind it, as git reads a path.
std::string_view WithoutLineEnds(std::string_view text) { return text.substr(0, text.find_last_not_of("\r\n") + 1); }

// A folder, as git looks at it.
enum class Repository {
  kNone,
  kCommon,  // It has objects and refs: a linked worktree may take them from there, with configuration and hooks.
  kWhole,
};

template <typename KindOf>
Repository RepositoryOf(const std::string& folder, const KindOf& kind_of) {
  const auto has = [&](std::string_view name) { return kind_of(JoinPath(folder, name)) != FileKind::kMissing; };
  const bool is_common = has("objects") && has("refs");
  if (has("HEAD") && (is_common || has("commondir"))) return Repository::kWhole;
  return is_common ? Repository::kCommon : Repository::kNone;
}

// Whether a repository is a submodule's: below the folder "modules" of one named ".git".
bool IsModule(std::string_view folder) {
  const std::vector<std::string_view> names = directory::ComponentsOf(folder);
  for (size_t i = 0; i + 2 < names.size(); ++i) {
    if (names[i] == kGit && names[i + 1] == "modules") return true;
  }
  return false;
}

// Paths that an index lists, in order.
using Tracked = std::vector<std::string>;

bool Tracks(const Tracked& tracked, const std::string& path) {
  const auto has = [&](const std::string& wanted, bool is_folder) {
    const auto at = std::lower_bound(tracked.begin(), tracked.end(), wanted);
    return at != tracked.end() && (is_folder ? at->compare(0, wanted.size(), wanted) == 0 : *at == wanted);
  };
  return has(path, false) || has(path + "/", true);
}

class Checker {
 public:
  Checker(const Directory& directory, int upper, const ChangePlan& plan, const fibers::Cancellation& cancellation)
      : merged_(directory, upper, plan), plan_(plan), cancellation_(cancellation) {
    for (const NotKept& row : plan.not_kept) {
      if (IsDenied(row.path)) lost_.push_back(row.path);
    }
  }

  absl::Status Run() {
    for (const PlannedChange& change : plan_.changes) {
      RETURN_IF_ERROR(cancellation_.Check());
      if (directory::NameOf(change.path) == kGit) {
        RETURN_IF_ERROR(CheckGitFile(change));
      } else if (change.kind == FileKind::kLink && IsInRepository(change.path)) {
        return RefusedLink(change.path);
      }
      std::string_view folder = change.path;
      // One that was looked at has had those above it looked at too.
      while (!folder.empty()) {
        folder = directory::ParentOf(folder);
        if (!seen_.insert(std::string(folder)).second) break;
        RETURN_IF_ERROR(CheckChanged(std::string(folder)));
      }
    }
    return absl::OkStatus();
  }

 private:
  Repository Before(const std::string& folder) const {
    return RepositoryOf(folder, [&](const std::string& path) { return merged_.Before(path); });
  }
  Repository After(const std::string& folder) {
    const auto [known, is_new] = after_.try_emplace(folder, Repository::kNone);
    if (is_new) known->second = RepositoryOf(folder, [&](const std::string& path) { return merged_.KindOf(path); });
    return known->second;
  }
  bool IsDenied(std::string_view path) const { return merged_.directory().deny_list().FindBesideGit(path).has_value(); }

  bool IsInRepository(std::string_view path) {
    if (IsInGit(path)) return true;
    while (!path.empty()) {
      path = directory::ParentOf(path);
      if (After(std::string(path)) == Repository::kWhole) return true;
    }
    return false;
  }

  static absl::Status RefusedLink(std::string_view path) {
    return Refused(path, "is a symbolic link in git's repository, through which a later git would write elsewhere",
                   "Keep what git needs in the repository, as plain files.");
  }

  // A folder in which something changes.
  absl::Status CheckChanged(const std::string& folder) {
    const Repository after = After(folder);
    if (after == Repository::kNone) return absl::OkStatus();
    const Repository before = Before(folder);
    const bool is_whole = after == Repository::kWhole;
    RETURN_IF_ERROR(CheckRepository(folder, is_whole ? before != Repository::kWhole : before == Repository::kNone));
    if (!is_whole) return absl::OkStatus();
    RETURN_IF_ERROR(CheckLocks(folder));
    return CheckTracked(folder);
  }

  // A repository that is put to use by something new. What tools cannot write is as a person or an earlier check has
  // left it.
  absl::Status CheckFound(const std::string& folder) {
    return CheckRepository(folder, !IsInGit(folder) || Before(folder) != Repository::kWhole);
  }

  // A file ".git" leads to a repository of this directory.
  absl::Status CheckGitFile(const PlannedChange& change) {
    if (change.kind == FileKind::kLink) {
      return Refused(change.path, "is a symbolic link, by which git would find its repository",
                     "Let git clone, init or worktree make the repository where it is to be.");
    }
    if (change.kind != FileKind::kFile) return absl::OkStatus();
    const std::optional<std::string> text = merged_.TextOf(change.path);
    if (text.has_value() && (text->substr(0, kGitDir.size()) != kGitDir || IsAsBefore(change.path, *text))) {
      return absl::OkStatus();
    }
    const std::optional<std::string> target =
        text.has_value() ? merged_.Resolve(directory::ParentOf(change.path),
                                           WithoutLineEnds(std::string_view(*text).substr(kGitDir.size())))
                         : std::nullopt;
    if (!target.has_value()) {
      return Refused(change.path, "leads git to a repository outside of the workspace, or through a symbolic link",
                     "Keep repositories in the workspace, and let git write the paths to them.");
    }
    if (After(*target) != Repository::kWhole) {
      return Refused(change.path, "leads git to a folder that is no repository yet, so that any could appear there",
                     "Let git worktree or git submodule make such files.");
    }
    return CheckFound(*target);
  }

  bool IsAsBefore(const std::string& path, const std::string& text) const {
    const std::optional<std::string> before = TextIn(merged_.directory(), path);
    return before.has_value() && MoveRoot(*before, RootPath(merged_.directory()), directory::kShellFolder) == text;
  }

  absl::Status CheckRepository(const std::string& folder, bool is_new) {
    if (!checked_.emplace(folder, is_new).second) return absl::OkStatus();
    const bool is_whole = After(folder) == Repository::kWhole;
    // All that a repository had before is its owner's.
    const auto is_changed = [&](const std::string& path) { return is_new || merged_.IsChanged(path); };
    if (is_new && is_whole) RETURN_IF_ERROR(CheckLinks(folder));
    for (const std::string_view name : kFolders) {
      const std::string path = JoinPath(folder, name);
      if (is_changed(path) && merged_.KindOf(path) == FileKind::kLink) return RefusedLink(path);
    }
    for (const std::string_view name : kGitConfigs) {
      if (const std::string path = JoinPath(folder, name); is_changed(path)) {
        RETURN_IF_ERROR(CheckConfig(folder, path));
      }
    }
    for (const std::string_view name : kEmptyGitFiles) {
      const std::string path = JoinPath(folder, name);
      if (!is_changed(path) || merged_.KindOf(path) == FileKind::kMissing) continue;
      if (const std::optional<std::string> text = merged_.TextOf(path); text.has_value() && text->empty()) continue;
      return Refused(path, "would have git read objects from elsewhere, or run filters on files",
                     "Clone without --shared and --reference; put attributes into .gitattributes.");
    }
    for (const std::string_view name : kTodos) {
      if (const std::string path = JoinPath(folder, name); is_changed(path)) RETURN_IF_ERROR(CheckTodo(path));
    }
    if (const std::string path = JoinPath(folder, "commondir"); is_changed(path)) {
      RETURN_IF_ERROR(CheckCommonFolder(folder, path));
    }
    if (const std::string path = JoinPath(folder, "index"); is_whole && is_changed(path)) {
      RETURN_IF_ERROR(CheckIndex(folder, path));
    }
    return CheckHooks(JoinPath(folder, "hooks"), is_new);
  }

  absl::Status CheckLinks(const std::string& folder) const {
    ASSIGN_OR_RETURN(const std::vector<std::string> paths, merged_.Below(folder, cancellation_));
    for (const std::string& path : paths) {
      if (merged_.KindOf(path) == FileKind::kLink) return RefusedLink(path);
    }
    return absl::OkStatus();
  }

  absl::Status CheckConfig(const std::string& folder, const std::string& path) const {
    const FileKind kind = merged_.KindOf(path);
    if (kind == FileKind::kMissing) return absl::OkStatus();
    const auto is_worktree = [&](std::string_view value) {
      if (!IsModule(folder) || value.substr(0, 3) != "../") return false;
      const std::optional<std::string> target = merged_.Resolve(folder, value);
      return target.has_value() && !IsInGit(*target);
    };
    const std::optional<std::string> text = kind == FileKind::kFile ? merged_.TextOf(path) : std::nullopt;
    const std::optional<std::string> key = text.has_value() ? RiskyKeyOf(*text, is_worktree) : "its text";
    if (!key.has_value()) return absl::OkStatus();
    return Refused(path, absl::StrCat("sets ", ToAbsl(*key), ", by which git could run a program later"),
                   "A new repository is kept with what clone and init configure; pass other settings with git -c, or "
                   "have a person set them.");
  }

  absl::Status CheckTodo(const std::string& path) const {
    const FileKind kind = merged_.KindOf(path);
    if (kind == FileKind::kMissing) return absl::OkStatus();
    const std::optional<std::string> text = kind == FileKind::kFile ? merged_.TextOf(path) : std::nullopt;
    bool runs = !text.has_value();
    if (text.has_value()) {
      for (const absl::string_view line : absl::StrSplit(ToAbsl(*text), '\n')) {
        const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
        runs = runs || (!words.empty() && (words[0] == "exec" || words[0] == "x"));
      }
    }
    if (!runs) return absl::OkStatus();
    return Refused(path, "has commands that git would run when the rebase goes on",
                   "Finish or abort the rebase in the same command, or rebase without --exec.");
  }

  // A linked worktree's folder is <repository>/worktrees/<name>. Configuration and hooks are the repository's.
  absl::Status CheckCommonFolder(const std::string& folder, const std::string& path) {
    if (merged_.KindOf(path) == FileKind::kMissing) return absl::OkStatus();
    const std::optional<std::string> text =
        merged_.KindOf(path) == FileKind::kFile ? merged_.TextOf(path) : std::nullopt;
    const std::string_view worktrees = directory::ParentOf(folder);
    const std::string common(directory::ParentOf(worktrees));
    const bool is_linked = directory::NameOf(worktrees) == "worktrees" && After(common) != Repository::kNone;
    if (is_linked && text.has_value() && WithoutLineEnds(*text) == "../..") return CheckFound(common);
    return Refused(path, "leads git to another repository's configuration", "Let git worktree add make worktrees.");
  }

  // Samples are no hooks until someone renames them.
  absl::Status CheckHooks(const std::string& folder, bool is_new) const {
    ASSIGN_OR_RETURN(const std::vector<std::string> paths, merged_.Below(folder, cancellation_));
    for (const std::string& path : paths) {
      constexpr std::string_view kSample = ".sample";
      const bool is_sample = path.size() > kSample.size() && path.substr(path.size() - kSample.size()) == kSample;
      if (is_sample || !(is_new || merged_.IsChanged(path))) continue;
      return Refused(path, "is a hook, which git would run later", "Have a person install hooks.");
    }
    return absl::OkStatus();
  }

  // --- the index ----------------------------------------------------------------------------------------------------

  // A linked worktree's configuration is that of the repository.
  std::string CommonFolderOf(const std::string& folder) const {
    if (merged_.KindOf(JoinPath(folder, "commondir")) == FileKind::kMissing) return folder;
    return std::string(directory::ParentOf(directory::ParentOf(folder)));
  }

  std::optional<std::vector<directory::IndexEntry>> List(const std::string& folder,
                                                         const std::optional<std::string>& index) const {
    if (!index.has_value()) return std::nullopt;
    const std::optional<std::string> config = merged_.TextOf(JoinPath(CommonFolderOf(folder), "config"));
    const std::optional<std::string> format = ValueOf(config.value_or(""), "extensions.objectformat");
    return directory::ListIndex(*index, format == "sha256" ? kSha256Bytes : kSha1Bytes);
  }

  absl::Status CheckIndex(const std::string& folder, const std::string& path) const {
    if (merged_.KindOf(path) == FileKind::kMissing) return absl::OkStatus();
    const std::optional<std::vector<directory::IndexEntry>> entries =
        List(folder, merged_.TextOf(path, kMaxIndexBytes));
    if (!entries.has_value()) {
      return Refused(path, "is no index that can be looked at as a whole: it is split, too large or damaged",
                     "Have git write a plain one: git update-index --no-split-index.");
    }
    for (const directory::IndexEntry& entry : *entries) {
      if (directory::IsSafeInIndex(entry)) continue;
      return Refused(path,
                     absl::StrCat("lists \"", directory::ShownPath(entry.path),
                                  "\", which a later git would write into a repository or out of the workspace"),
                     "Let git write its index.");
    }
    return absl::OkStatus();
  }

  Tracked TrackedIn(const std::string& folder, const std::optional<std::string>& index) const {
    Tracked paths;
    std::optional<std::vector<directory::IndexEntry>> entries = List(folder, index);
    if (!entries.has_value()) return paths;
    for (directory::IndexEntry& entry : *entries) paths.push_back(std::move(entry.path));
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  // The folder of the files that a repository keeps; nothing for a bare one.
  std::optional<std::string> WorktreeOf(const std::string& folder) const {
    if (directory::NameOf(folder) == kGit) return std::string(directory::ParentOf(folder));
    const auto named = [&](std::string_view text) {
      return merged_.Resolve(folder, MoveRoot(text, RootPath(merged_.directory()), directory::kShellFolder));
    };
    if (const std::optional<std::string> link = merged_.TextOf(JoinPath(folder, "gitdir")); link.has_value()) {
      const std::optional<std::string> file = named(WithoutLineEnds(*link));
      return file.has_value() ? std::optional<std::string>(directory::ParentOf(*file)) : std::nullopt;
    }
    const std::optional<std::string> config = merged_.TextOf(JoinPath(folder, "config"));
    const std::optional<std::string> worktree = ValueOf(config.value_or(""), "core.worktree");
    return worktree.has_value() ? named(*worktree) : std::nullopt;
  }

  // Files that git tracks and commands do not see are missing to git: it must not take them for removed, nor believe
  // that it has written them.
  absl::Status CheckTracked(const std::string& folder) const {
    const std::string index = JoinPath(folder, "index");
    const bool is_listed_anew = merged_.IsChanged(index);
    const bool has_moved = is_listed_anew || merged_.IsChanged(JoinPath(folder, "HEAD")) ||
                           merged_.IsChanged(JoinPath(folder, "packed-refs")) ||
                           merged_.HasChangeBelow(JoinPath(folder, "refs"));
    if (!has_moved || (lost_.empty() && !is_listed_anew)) return absl::OkStatus();
    const std::optional<std::string> worktree = WorktreeOf(folder);
    if (!worktree.has_value()) return absl::OkStatus();
    const Tracked before = TrackedIn(folder, TextIn(merged_.directory(), index, kMaxIndexBytes));
    const Tracked after = TrackedIn(folder, merged_.TextOf(index, kMaxIndexBytes));
    for (const std::string& path : before) {
      if (std::binary_search(after.begin(), after.end(), path)) continue;
      const std::string whole = JoinPath(*worktree, path);
      if (!IsDenied(whole) || merged_.Before(whole) == FileKind::kMissing) continue;
      return Refused(whole, "is tracked by git and hidden from commands, so that git took it for removed",
                     "Name the files to git: git add PATH and git commit, without -a, -A and stash.");
    }
    for (const std::string& path : lost_) {
      if (!IsWithin(path, *worktree) || path == *worktree) continue;
      const std::string inner = worktree->empty() ? path : path.substr(worktree->size() + 1);
      if (!Tracks(before, inner) && !Tracks(after, inner)) continue;
      return Refused(path, "is tracked by git and on the deny list, so that what git wrote there cannot be kept",
                     "Have a person do this in git, or leave the path out with git sparse-checkout.");
    }
    return absl::OkStatus();
  }

  // A lock that the command has not removed is some other git's.
  absl::Status CheckLocks(const std::string& folder) const {
    for (const std::string_view name : kLocks) {
      const std::string path = JoinPath(folder, name);
      if (merged_.IsChanged(path) || merged_.Before(path) == FileKind::kMissing) continue;
      return MakeError(ErrorCode::kConflict,
                       absl::StrCat("\"", directory::ShownPath(path),
                                    "\" is there: another git is at work in this repository, or was ended while it "
                                    "was; nothing of the command was kept. Try again when the file is gone."));
    }
    return absl::OkStatus();
  }

  const MergedFiles merged_;
  const ChangePlan& plan_;
  const fibers::Cancellation& cancellation_;
  std::vector<std::string> lost_;  // Paths of the deny list that the command wrote.
  std::set<std::string> seen_;
  std::set<std::pair<std::string, bool>> checked_;
  std::map<std::string, Repository> after_;
};

}  // namespace

absl::Status CheckRepositories(const Directory& directory, int upper, const ChangePlan& plan,
                               const fibers::Cancellation& cancellation) {
  return Checker(directory, upper, plan, cancellation).Run();
}

}  // namespace toolgate::executors::shell
