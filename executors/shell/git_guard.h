// The use of version control by shell commands, so that all of what git does is kept, or nothing.
//
// The folders of git's repositories are kept like others but for what makes a later git, outside the sandbox, run
// something: configuration, hooks, attributes, object stores elsewhere. In repositories that a command finds, these
// are read-only, so that git itself fails where it must write them (MakeGuards). What a command makes anew, or brings
// into a repository by other ways, is looked at when it has ended (CheckGit): a new repository is kept with a
// configuration that starts no program; a command that leaves anything else is refused as a whole (git_check.h).
#ifndef TOOLGATE_EXECUTORS_SHELL_GIT_GUARD_H_
#define TOOLGATE_EXECUTORS_SHELL_GIT_GUARD_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fibers/cancellation.h"
#include "executors/directory/directory.h"
#include "executors/shell/change_plan.h"
#include "executors/shell/git_files.h"
#include "executors/shell/launcher/job.h"

namespace toolgate::executors::shell {

// Use of the folders ".git" by commands.
enum class GitUse {
  kKeep,
  kReadOnly,  // They can be read, and not changed.
  kHidden,    // They do not exist for commands.
};

// Repositories in a directory.
struct GitPlaces {
  std::vector<std::string> repositories;  // Canonical paths of their folders, one above another before it.
  std::vector<std::string> links;         // Files ".git", which lead to one.
};

// The guards of what is there. Texts that name the directory by its path of the machine name it as commands see it;
// those that may hold passwords are shown without.
std::vector<launcher::Guard> MakeGuards(const directory::Directory& directory, const GitPlaces& places, GitUse use);

// CheckRepositories; FORBIDDEN too when `use` is not kKeep and `entries` has any of version control's. Turns paths in
// the sandbox, in files by which repositories find each other, into those of the machine.
absl::Status CheckGit(const directory::Directory& directory, const std::vector<sandbox::UpperEntry>& entries, int upper,
                      GitUse use, ChangePlan& plan, const fibers::Cancellation& cancellation);

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_GIT_GUARD_H_
