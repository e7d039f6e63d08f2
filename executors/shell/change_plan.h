// From the upper layer of a command to the changes of a workspace's directory.
#ifndef TOOLGATE_EXECUTORS_SHELL_CHANGE_PLAN_H_
#define TOOLGATE_EXECUTORS_SHELL_CHANGE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fibers/cancellation.h"
#include "executors/directory/change_set.h"
#include "executors/directory/directory.h"
#include "executors/directory/file_state.h"
#include "executors/shell/sandbox/upper_layer.h"

namespace toolgate::executors::shell {

// One path's wanted state. It may have it already.
struct PlannedChange {
  std::string path;
  directory::FileKind kind = directory::FileKind::kMissing;
  uint32_t mode = 0;
  std::string target = {};  // Of a link.
  // Of a file whose content is not the upper layer's.
  std::optional<std::string> content = {};
};

// Something that the command did and that the workspace does not get.
struct NotKept {
  std::string path;
  std::string reason;  // Completes the sentence "<path> …".
};

struct ChangePlan {
  std::vector<PlannedChange> changes;  // Each path once; a folder before those in it.
  std::vector<NotKept> not_kept;
};

// Compares an upper layer with the directory, which stands for the lower one. Leaves out what tools may not change: the
// deny list's paths, but for folders ".git" if `keeps_git`, and those out of reach, which stay together with the
// folders that they are in, special files, set-user-ID bits. Opens and follows nothing but folders.
absl::StatusOr<ChangePlan> PlanChanges(const directory::Directory& directory,
                                       const std::vector<sandbox::UpperEntry>& entries, bool keeps_git,
                                       const fibers::Cancellation& cancellation);

// Adds the plan to a set, with contents from the layer.
absl::Status AddChanges(const ChangePlan& plan, int upper, directory::ChangeSet& set);

// Changes that AddChanges would make: states of the paths that would differ.
absl::StatusOr<std::vector<directory::Change>> CompareChanges(const ChangePlan& plan, int upper,
                                                              const directory::Directory& directory,
                                                              const fibers::Cancellation& cancellation);

// A unified diff of all changed text files, in which other changes have a line each.
absl::StatusOr<std::string> DiffChanges(const std::vector<directory::Change>& changes, int upper,
                                        const directory::Directory& directory, size_t max_bytes,
                                        const fibers::Cancellation& cancellation);

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_CHANGE_PLAN_H_
