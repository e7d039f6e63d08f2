// Control groups of commands: cgroup v2, in the group that the service was started in, where that is the service's own.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_CONTROL_GROUPS_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_CONTROL_GROUPS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/descriptor.h"

namespace toolgate::executors::shell::sandbox {

// The group of one command. Its end kills what is in it and removes it.
class ControlGroup {
 public:
  struct Limits {
    int64_t max_memory_bytes = 0;  // With all that the kernel keeps; nothing is swapped.
    int64_t max_processes = 0;     // Threads included.
  };

  ControlGroup(Descriptor parent, std::string name, Descriptor folder)
      : parent_(std::move(parent)), name_(std::move(name)), folder_(std::move(folder)) {}
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  int folder() const { return folder_.get(); }

 private:
  const Descriptor parent_;
  const std::string name_;
  const Descriptor folder_;
};

// Makes the groups of commands. A group with processes of its own cannot bound groups below it, so the service moves
// itself into a group "toolgate-service" beside those of its commands. Thread-safe.
class ControlGroups {
 public:
  struct Options {
    // Path of the group to divide; "": the one that the calling process runs in.
    std::string folder = {};
    // Uses only a group that the service's manager has handed over to it: marked so by systemd, or owned by the
    // service's user, if that is not root.
    bool only_delegated = true;
  };

  // FAILED_PRECONDITION with the reason when there is no such group: no cgroup v2, no controllers of memory and pids in
  // it, a group of others, or one with other processes in it. Removes groups of commands that a process which has ended
  // left behind.
  static absl::StatusOr<std::unique_ptr<ControlGroups>> Open(const Options& options);

  // UNAVAILABLE when the kernel makes no group.
  absl::StatusOr<std::unique_ptr<ControlGroup>> Make(const ControlGroup::Limits& limits) const;

 private:
  explicit ControlGroups(Descriptor folder) : folder_(std::move(folder)) {}

  const Descriptor folder_;
};

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_CONTROL_GROUPS_H_
