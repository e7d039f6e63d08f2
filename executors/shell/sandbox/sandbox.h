// Runs shell commands on a workspace's directory without letting them change it, or reach anything else.
//
// A command sees the programs and libraries of the machine, read-only, the workspace's directory at /workspace, and a
// /tmp of its own. It has namespaces of its own for users, processes, mounts, network, IPC, host name and cgroups, no
// network but its own loopback, no capabilities, none of the service's environment, and a seccomp filter. The workspace
// is an overlay: all changes go into an upper layer, which is read when the command has ended (upper_layer.h). When it
// ends, however it ends, all its processes are gone.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_SANDBOX_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_SANDBOX_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/descriptor.h"
#include "executors/shell/launcher/job.h"
#include "executors/shell/sandbox/control_groups.h"
#include "executors/shell/sandbox/limits.h"
#include "executors/shell/sandbox/running_command.h"
#include "executors/shell/sandbox/supervisor.h"
#include "executors/shell/sandbox/view.h"

namespace toolgate::executors::shell::sandbox {

// Place of the upper layers.
enum class Scratch {
  kAuto,    // In memory where the kernel can (6.6 and later), otherwise on disk.
  kMemory,  // A tmpfs of bounded size: nothing is left behind.
  kDisk,    // A folder for each command, watched for its size.
};

// Whether the kernel bounds all that a command takes, in a control group of its own (control_groups.h). Without one,
// the launcher measures what processes have and estimates what the kernel keeps for them.
enum class Groups {
  kAuto,     // If the service's group is delegated to it.
  kRequire,  // No sandbox without; uses the service's group, no matter which user owns it.
  kOff,
};

// One command to run. Borrowed for Start.
struct Command {
  int workspace = -1;               // The directory, open.
  std::string cwd;                  // Canonical path of a folder in it; "": itself.
  std::string text;                 // For bash.
  std::vector<std::string> hidden;  // Canonical paths that do not exist for the command.
  absl::Duration timeout;
  std::vector<launcher::Guard> guards = {};
};

class Sandbox;

// A command that runs, and its scratch space. Its end kills the command, if it still runs, and waits for it. Used by
// the thread of its call.
class SandboxedCommand {
 public:
  ~SandboxedCommand();
  SandboxedCommand(const SandboxedCommand&) = delete;
  SandboxedCommand& operator=(const SandboxedCommand&) = delete;

  fibers::Event& news() { return running_->news(); }
  std::vector<OutputPiece> Take() { return running_->Take(); }
  std::optional<Ending> ending() const { return running_->ending(); }
  // Kills all processes and waits until they are gone, a few milliseconds; drops output that was not taken.
  Ending StopAndWait();
  // See RunningCommand. To be read when the command has ended, and before the end of this object.
  Descriptor TakeUpperLayer() { return running_->TakeUpperLayer(); }

 private:
  friend class Sandbox;
  SandboxedCommand(Sandbox& sandbox, std::string scratch) : sandbox_(sandbox), scratch_(std::move(scratch)) {}

  Sandbox& sandbox_;
  const std::string scratch_;            // A folder to remove; empty: none.
  std::unique_ptr<ControlGroup> group_;  // Null: none.
  std::shared_ptr<RunningCommand> running_;
};

// Thread-safe. Outlives its commands.
class Sandbox {
 public:
  struct Options {
    std::string bubblewrap;  // The program.
    CommandLimits limits = {};
    int max_running = 0;  // Commands at a time.
    Scratch scratch = {};
    // For scratch space on disk, an absolute path; made when it is missing. What processes that have ended left in it
    // is removed. Empty: there is none.
    std::string scratch_folder;
    Groups groups = Groups::kAuto;
  };

  // Raises the process's limit of open files to what `max_running` commands need, where it may, and runs a command to
  // find out whether this machine can: FAILED_PRECONDITION says what is missing, and what would help.
  static absl::StatusOr<std::unique_ptr<Sandbox>> Create(Options options);

  // UNAVAILABLE when the system grants no process; RESOURCE_EXHAUSTED when too many commands run; INVALID_ARGUMENT for
  // a text that cannot be passed to a program: with zero bytes, or longer than kMaxTextBytes.
  absl::StatusOr<std::unique_ptr<SandboxedCommand>> Start(const Command& command);

  static constexpr size_t kMaxTextBytes = 128000;

  const CommandLimits& limits() const { return options_.limits; }
  bool on_disk() const { return on_disk_; }
  // Whether each command has a control group.
  bool has_groups() const { return groups_ != nullptr; }
  // Commands that have not ended.
  int running() const { return running_.load(std::memory_order_relaxed); }
  Supervisor& supervisor() { return *supervisor_; }
  ~Sandbox();

 private:
  friend class SandboxedCommand;
  Sandbox(Options options, std::unique_ptr<ControlGroups> groups, Descriptor launcher, Descriptor filter,
          std::unique_ptr<Supervisor> supervisor);

  // With a control group for each command, if `groups` is not null.
  static absl::StatusOr<std::unique_ptr<Sandbox>> CreateWith(const Options& options,
                                                             std::unique_ptr<ControlGroups> groups);
  // Whether a command that tries what commands need runs with scratch space of this kind.
  absl::Status Probe(bool on_disk);
  absl::Status PrepareDisk();
  absl::StatusOr<std::string> MakeScratch();
  absl::StatusOr<std::unique_ptr<SandboxedCommand>> Launch(const Command& command);
  absl::StatusOr<std::unique_ptr<ControlGroup>> MakeGroup() const;
  std::string MakeJob(const Command& command, const std::string& scratch) const;

  const Options options_;
  const std::unique_ptr<ControlGroups> groups_;
  const View view_;
  const Descriptor launcher_;
  const Descriptor filter_;
  const std::unique_ptr<Supervisor> supervisor_;
  bool on_disk_ = false;    // Fixed when Create returns, as are the next two.
  std::string own_folder_;  // In the scratch folder.
  Descriptor own_lock_;     // Held while the process lives, so that others leave the folder alone.
  std::atomic<int> running_{0};
  std::atomic<uint64_t> next_scratch_{0};
};

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_SANDBOX_H_
