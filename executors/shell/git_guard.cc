#include "executors/shell/git_guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/content.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "executors/shell/git_config.h"
#include "executors/shell/sandbox/view.h"

namespace toolgate::executors::shell {
namespace {

using directory::Directory;
using directory::FileKind;
using directory::JoinPath;
using launcher::Guard;

constexpr std::string_view kGitDir = "gitdir: ";
// A longer file of version control's is none that it needs.
constexpr int64_t kMaxText = int64_t{1} << 20;
constexpr std::string_view kConfigs[] = {"config", "config.worktree"};
// Files that are harmless when they are empty.
constexpr std::string_view kEmptyFiles[] = {"info/attributes", "objects/info/alternates",
                                            "objects/info/http-alternates"};
// Folders through which a link would lead elsewhere.
constexpr std::string_view kFolders[] = {"hooks", "info", "objects", "objects/info", "modules", "worktrees"};
constexpr std::string_view kTodos[] = {"rebase-merge/git-rebase-todo", "sequencer/todo"};

// The directory on the machine, as the kernel names it.
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

// Nothing: it is no regular file, too long, or cannot be read.
std::optional<std::string> TextIn(const Directory& directory, const std::string& path) {
  if (KindIn(directory, path) != FileKind::kFile) return std::nullopt;
  const Descriptor file = directory::OpenBeneath(directory.root(), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.valid()) return std::nullopt;
  absl::StatusOr<std::string> text = directory::ReadWhole(file.get(), path, kMaxText);
  if (!text.ok()) return std::nullopt;
  return *std::move(text);
}

bool IsWithin(std::string_view path, std::string_view folder) {
  return folder.empty() || path == folder ||
         (path.size() > folder.size() && path[folder.size()] == '/' && path.substr(0, folder.size()) == folder);
}

// --- guards ---------------------------------------------------------------------------------------------------------

class GuardMaker {
 public:
  GuardMaker(const Directory& directory, GitUse use) : directory_(directory), root_(RootPath(directory)), use_(use) {}

  void AddRepository(const std::string& folder) {
    // Nothing that git takes for a repository; a command may make one of it.
    if (KindIn(directory_, JoinPath(folder, "HEAD")) == FileKind::kMissing) return;
    if (use_ == GitUse::kReadOnly && directory::NameOf(folder) == kGit) {
      guards_.push_back({folder, Guard::Kind::kReadOnly, ""});
    }
    const bool is_covered = use_ == GitUse::kReadOnly && IsInGit(folder);
    if (KindIn(directory_, JoinPath(folder, "commondir")) != FileKind::kMissing) {
      // A linked worktree: git removes its folder, so what is not there is only looked at afterwards.
      AddShown(JoinPath(folder, "gitdir"));
      const std::string config = JoinPath(folder, "config.worktree");
      if (KindIn(directory_, config) != FileKind::kMissing) AddConfig(config, is_covered);
      return;
    }
    for (const std::string_view name : kConfigs) AddConfig(JoinPath(folder, name), is_covered);
    if (is_covered) return;
    Add(JoinPath(folder, "hooks"), Guard::Kind::kFolder);
    for (const std::string_view name : kEmptyFiles) Add(JoinPath(folder, name), Guard::Kind::kContent);
  }

  void AddLink(const std::string& path) {
    if (use_ == GitUse::kReadOnly) {
      guards_.push_back({path, Guard::Kind::kReadOnly, ""});
    }
    AddShown(path);
  }

  std::vector<Guard> Take() { return std::move(guards_); }

 private:
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

// --- the check ------------------------------------------------------------------------------------------------------

absl::Status Refused(std::string_view path, std::string_view problem, std::string_view remedy) {
  return MakeError(ErrorCode::kForbidden, absl::StrCat("\"", directory::ShownPath(path), "\" ", ToAbsl(problem),
                                                       "; nothing of the command was kept. ", ToAbsl(remedy)));
}

// The directory as it will be: what the plan has, over what is there.
class Merged {
 public:
  Merged(const Directory& directory, int upper, const ChangePlan& plan) : directory_(directory), upper_(upper) {
    for (const PlannedChange& change : plan.changes) changes_.emplace(change.path, &change);
  }

  const PlannedChange* ChangeOf(std::string_view path) const {
    const auto found = changes_.find(path);
    return found == changes_.end() ? nullptr : found->second;
  }
  FileKind KindOf(const std::string& path) const {
    if (const PlannedChange* change = ChangeOf(path); change != nullptr) return change->kind;
    return Before(path);
  }
  FileKind Before(const std::string& path) const { return KindIn(directory_, path); }

  // Of a regular file; nothing when it cannot be read or is too long.
  std::optional<std::string> TextOf(const std::string& path) const {
    const PlannedChange* change = ChangeOf(path);
    if (change == nullptr) return TextIn(directory_, path);
    if (change->content.has_value()) return change->content;
    const absl::StatusOr<Descriptor> file = sandbox::OpenUpperFile(upper_, path);
    if (!file.ok()) return std::nullopt;
    absl::StatusOr<std::string> text = directory::ReadWhole(file->get(), path, kMaxText);
    if (!text.ok()) return std::nullopt;
    return *std::move(text);
  }

  // The paths that will be below a folder, but for folders.
  absl::StatusOr<std::vector<std::string>> Below(const std::string& folder,
                                                 const fibers::Cancellation& cancellation) const {
    std::vector<std::string> below;
    for (auto at = changes_.lower_bound(folder); at != changes_.end() && IsWithin(at->first, folder); ++at) {
      if (at->second->kind != FileKind::kMissing && at->second->kind != FileKind::kFolder)
        below.emplace_back(at->first);
    }
    if (Before(folder) != FileKind::kFolder) return below;
    RETURN_IF_ERROR(
        directory_.Walk(folder, directory::WalkDenied::kIgnore, cancellation, [&](const directory::WalkEntry& entry) {
          if (entry.kind != FileKind::kFolder && ChangeOf(entry.path) == nullptr) {
            below.push_back(entry.path);
          }
          return directory::WalkStep::kContinue;
        }));
    return below;
  }

 private:
  const Directory& directory_;
  const int upper_;
  std::map<std::string_view, const PlannedChange*> changes_;
};

class Checker {
 public:
  Checker(const Directory& directory, int upper, const ChangePlan& plan, const fibers::Cancellation& cancellation)
      : merged_(directory, upper, plan), plan_(plan), cancellation_(cancellation) {}

  absl::Status Run() {
    for (const PlannedChange& change : plan_.changes) {
      RETURN_IF_ERROR(cancellation_.Check());
      if (directory::NameOf(change.path) == kGit) RETURN_IF_ERROR(CheckLink(change));
      std::string_view folder = change.path;
      // One that was looked at has had those above it looked at too.
      while (!folder.empty()) {
        folder = directory::ParentOf(folder);
        if (!seen_.insert(std::string(folder)).second) break;
        if (IsRepositoryAfter(std::string(folder))) RETURN_IF_ERROR(CheckRepository(std::string(folder)));
      }
    }
    return absl::OkStatus();
  }

 private:
  // Whether git takes the folder for a repository's.
  template <typename KindOf>
  static bool IsRepository(const std::string& folder, const KindOf& kind_of) {
    const auto is_there = [&](std::string_view name) { return kind_of(JoinPath(folder, name)) != FileKind::kMissing; };
    return is_there("HEAD") && (is_there("commondir") || (is_there("objects") && is_there("refs")));
  }
  bool IsRepositoryAfter(const std::string& folder) const {
    return IsRepository(folder, [&](const std::string& path) { return merged_.KindOf(path); });
  }

  // A file ".git" leads to a repository of this directory.
  absl::Status CheckLink(const PlannedChange& change) const {
    if (change.kind == FileKind::kLink) {
      return Refused(change.path, "is a symbolic link, by which git would find its repository",
                     "Let git clone, init or worktree make the repository where it is to be.");
    }
    if (change.kind != FileKind::kFile) return absl::OkStatus();
    const std::optional<std::string> text = merged_.TextOf(change.path);
    if (text.has_value() && (text->substr(0, kGitDir.size()) != kGitDir || LeadsInside(change.path, *text))) {
      return absl::OkStatus();
    }
    return Refused(change.path, "leads git to a repository outside of the workspace",
                   "Keep repositories in the workspace.");
  }

  static bool LeadsInside(std::string_view path, std::string_view text) {
    std::string_view target = ToView(absl::StripAsciiWhitespace(ToAbsl(text.substr(kGitDir.size()))));
    int64_t depth = static_cast<int64_t>(directory::DepthOf(path)) - 1;
    constexpr std::string_view kInside = directory::kShellFolder;
    if (!target.empty() && target.front() == '/') {
      if (!IsWithin(target, kInside)) return false;
      target.remove_prefix(kInside.size());
      depth = 0;
    }
    for (const absl::string_view name : absl::StrSplit(ToAbsl(target), '/')) {
      if (name == "..") {
        if (--depth < 0) return false;
      } else if (!name.empty() && name != ".") {
        ++depth;
      }
    }
    return true;
  }
  static std::string_view ToView(absl::string_view text) { return {text.data(), text.size()}; }

  absl::Status CheckRepository(const std::string& folder) const {
    const bool is_new = !IsRepository(folder, [&](const std::string& path) { return merged_.Before(path); });
    // All that a repository had before is its owner's.
    const auto is_changed = [&](const std::string& path) { return is_new || merged_.ChangeOf(path) != nullptr; };
    for (const std::string_view name : kFolders) {
      const std::string path = JoinPath(folder, name);
      if (is_changed(path) && merged_.KindOf(path) == FileKind::kLink) {
        return Refused(path, "is a symbolic link in git's repository", "Keep what git needs in the repository.");
      }
    }
    for (const std::string_view name : kConfigs) {
      if (const std::string path = JoinPath(folder, name); is_changed(path)) RETURN_IF_ERROR(CheckConfig(path));
    }
    for (const std::string_view name : kEmptyFiles) {
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
    return CheckHooks(JoinPath(folder, "hooks"), is_new);
  }

  absl::Status CheckConfig(const std::string& path) const {
    const FileKind kind = merged_.KindOf(path);
    if (kind == FileKind::kMissing) return absl::OkStatus();
    const std::optional<std::string> text = kind == FileKind::kFile ? merged_.TextOf(path) : std::nullopt;
    const std::optional<std::string> key = text.has_value() ? RiskyKeyOf(*text) : "its text";
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

  // A linked worktree's folder is <repository>/worktrees/<name>.
  absl::Status CheckCommonFolder(const std::string& folder, const std::string& path) const {
    if (merged_.KindOf(path) == FileKind::kMissing) return absl::OkStatus();
    const std::optional<std::string> text =
        merged_.KindOf(path) == FileKind::kFile ? merged_.TextOf(path) : std::nullopt;
    const bool is_linked = directory::NameOf(directory::ParentOf(folder)) == "worktrees";
    if (is_linked && text.has_value() && absl::StripAsciiWhitespace(*text) == "../..") return absl::OkStatus();
    return Refused(path, "leads git to another repository's configuration", "Let git worktree add make worktrees.");
  }

  // Samples are no hooks until someone renames them.
  absl::Status CheckHooks(const std::string& folder, bool is_new) const {
    ASSIGN_OR_RETURN(const std::vector<std::string> paths, merged_.Below(folder, cancellation_));
    for (const std::string& path : paths) {
      constexpr std::string_view kSample = ".sample";
      const bool is_sample = path.size() > kSample.size() && path.substr(path.size() - kSample.size()) == kSample;
      if (is_sample || !(is_new || merged_.ChangeOf(path) != nullptr)) continue;
      return Refused(path, "is a hook, which git would run later", "Have a person install hooks.");
    }
    return absl::OkStatus();
  }

  const Merged merged_;
  const ChangePlan& plan_;
  const fibers::Cancellation& cancellation_;
  std::set<std::string> seen_;
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
  if (directory::NameOf(path) != kGit || absolute == text) return absolute;
  if (TextIn(directory, path) == absolute) return absolute;
  std::string up;
  for (size_t level = directory::DepthOf(path); level > 1; --level) up += "../";
  return absl::StrCat(
      ToAbsl(kGitDir), up,
      text.substr(std::min(text.size(), kGitDir.size() + std::string_view(directory::kShellFolder).size() + 1)));
}

void NameAsOnMachine(const Directory& directory, int upper, ChangePlan& plan) {
  for (PlannedChange& change : plan.changes) {
    if (change.kind != FileKind::kFile || !NamesFolders(change.path)) continue;
    const absl::StatusOr<Descriptor> file = sandbox::OpenUpperFile(upper, change.path);
    if (!file.ok()) continue;
    const absl::StatusOr<std::string> text = directory::ReadWhole(file->get(), change.path, kMaxText);
    if (!text.ok() || text->find(directory::kShellFolder) == std::string::npos) continue;
    const bool is_link = directory::NameOf(change.path) == kGit;
    if (is_link && text->substr(0, kGitDir.size()) != kGitDir) continue;
    if (!is_link && !IsInGit(change.path)) continue;
    if (std::string moved = OnMachine(directory, change.path, *text); moved != *text) change.content = std::move(moved);
  }
}

}  // namespace

bool IsInGit(std::string_view path) {
  const std::vector<std::string_view> names = directory::ComponentsOf(path);
  return std::find(names.begin(), names.end(), kGit) != names.end();
}

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
      return Refused(entry.path, "is version control's, which commands may not change here",
                     "The setting shell.git says so.");
    }
  }
  RETURN_IF_ERROR(Checker(directory, upper, plan, cancellation).Run());
  NameAsOnMachine(directory, upper, plan);
  return absl::OkStatus();
}

}  // namespace toolgate::executors::shell
