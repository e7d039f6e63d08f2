// The tool Bash: a shell command on a workspace's directory, which can be taken back.
#ifndef TOOLGATE_EXECUTORS_SHELL_BASH_H_
#define TOOLGATE_EXECUTORS_SHELL_BASH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/fairness/fair_shares.h"
#include "common/fairness/shared_count.h"
#include "common/recent_table.h"
#include "executors/directory/change_set.h"
#include "executors/directory/directories.h"
#include "executors/shell/git_guard.h"
#include "executors/shell/hidden_paths.h"
#include "executors/shell/sandbox/sandbox.h"
#include "executors/tool.h"

namespace toolgate::executors::shell {

struct BashOptions {
  size_t max_output_bytes;                    // Of each of stdout and stderr in the result.
  int64_t max_streamed_bytes;                 // Of all output while the command runs.
  size_t max_diff_bytes = size_t{128} << 10;  // Of a dry run.
  size_t max_listed_changes = 1000;           // In the result.
  HiddenPaths::Options hidden;
  GitUse git = GitUse::kKeep;
  int max_running = 256;         // Commands at a time, as the sandbox has it,
  fairness::Shares shares = {};  // of which a user and a workspace have shares.
};

// Runs a command in the sandbox, and then moves its changes into the directory as one change set, if it ended by
// itself, whatever its exit code. What a command changed that was killed, or that a dry run made, is thrown away.
// Commands run side by side; one whose changes meet those of another is a CONFLICT and changes nothing. Thread-safe.
class Bash {
 public:
  Bash(std::shared_ptr<directory::Directories> directories, std::shared_ptr<sandbox::Sandbox> sandbox,
       BashOptions options)
      : directories_(std::move(directories)),
        sandbox_(std::move(sandbox)),
        options_(options),
        commands_(options.max_running, options.shares) {}

  // An EffectHandler. NOT_CONFIGURED when `sandbox` is null; OVERLOADED when too many commands run, of all or of the
  // caller.
  absl::StatusOr<Acted> Run(ToolContext& context, EffectSession& session) ABSL_LOCKS_EXCLUDED(mutex_);
  // Reasons for which commands came to no end of their own, in the order of FailureCounts.
  static constexpr std::array<std::string_view, 7> kFailures = {"not_started", "too_many", "timeout", "memory",
                                                                "processes",   "disk",     "killed"};
  // Counts since the start.
  std::vector<double> FailureCounts() const;
  // Commands that run now.
  int running() const { return sandbox_ == nullptr ? 0 : sandbox_->running(); }

  // A Recoverer; needs no sandbox. A command that was interrupted before it ended has left nothing.
  absl::StatusOr<Recovered> Recover(ToolContext& context, EffectSession& session) const;
  // Shows the command as it will run.
  static absl::StatusOr<Preview> MakePreview(ToolContext& context, EffectSession& session);

 private:
  class Call;

  void CountFailure(std::string_view reason);

  // Paths that are hidden from the workspace's commands, and repositories.
  absl::StatusOr<HiddenPaths::Found> HiddenFrom(std::string_view workspace_id, const directory::Directory& directory,
                                                const fibers::Cancellation& cancellation) ABSL_LOCKS_EXCLUDED(mutex_);
  // The search of a workspace, with what it remembers.
  std::shared_ptr<HiddenPaths> SearchOf(std::string_view workspace_id) ABSL_LOCKS_EXCLUDED(mutex_);
  // Drops what was not used for longest.
  void TrimSearches() ABSL_LOCKS_EXCLUDED(mutex_);

  const std::shared_ptr<directory::Directories> directories_;
  const std::shared_ptr<sandbox::Sandbox> sandbox_;
  const BashOptions options_;
  fairness::SharedCount commands_;
  std::array<std::atomic<int64_t>, kFailures.size()> failures_{};
  absl::Mutex mutex_;
  RecentTable<std::shared_ptr<HiddenPaths>> searches_ ABSL_GUARDED_BY(mutex_);  // By workspace.
};

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_BASH_H_
