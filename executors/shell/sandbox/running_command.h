// A command in its sandbox.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_RUNNING_COMMAND_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_RUNNING_COMMAND_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/descriptor.h"
#include "common/fibers/event.h"
#include "executors/shell/launcher/job.h"

namespace toolgate::executors::shell::sandbox {

enum class Channel { kStdout, kStderr };

struct OutputPiece {
  Channel channel = Channel::kStdout;
  std::string bytes;
};

// How a command ended.
struct Ending {
  // OK: the sandbox was built, and the command ended in it or was killed. UNAVAILABLE: it could not be built.
  absl::Status built;
  int exit_code = 0;  // 128 and the signal's number for a command that a signal ended, as shells have it.
  launcher::Cause cause = launcher::Cause::kNone;  // Why it was killed by its limits.
  bool stopped = false;                            // By Stop, or because its launcher died.
};

// State of a command that a call's thread and the supervisor's thread share. The former waits for `news`, then takes.
// Thread-safe.
class RunningCommand {
 public:
  // Output that is kept until it is taken; beyond it the command waits.
  static constexpr size_t kMaxBuffered = size_t{256} << 10;

  // Our ends of a launcher that was just started.
  struct Ends {
    pid_t launcher = 0;
    Descriptor process;  // A pidfd.
    Descriptor control;
    Descriptor out;
    Descriptor err;
  };
  // `epoll`, which outlives this, is the supervisor's; `id` names this command there.
  RunningCommand(Ends ends, uint64_t id, int epoll);

  // Set when there is output to take, and when the command has ended. Reset by Take.
  fibers::Event& news() { return news_; }

  // Output since the last call. Lets the command continue, if it waits for room.
  std::vector<OutputPiece> Take();
  // Set when every process of the command is gone and all its output was taken.
  std::optional<Ending> ending() const;
  // Has the command killed, with all its processes: within milliseconds. `ending` is set when that is done, if the
  // output is taken.
  void Stop();

  // The changed files, from the moment the sandbox is built; the caller owns the descriptor. Not valid: never built.
  Descriptor TakeUpperLayer();

  // Of the launcher.
  pid_t pid() const { return launcher_; }
  uint64_t id() const { return id_; }

 private:
  friend class Supervisor;

  struct Pipe {
    Descriptor end;
    bool open = true;
    bool paused = false;  // No more is read until the output is taken.
  };

  // Subject of an event of the supervisor's epoll.
  enum class Source : uint64_t { kStdout, kStderr, kProcess };
  uint64_t KeyOf(Source source) const { return (id_ << 2) | static_cast<uint64_t>(source); }
  static uint64_t IdOf(uint64_t key) { return key >> 2; }
  static Source SourceOf(uint64_t key) { return static_cast<Source>(key & 3); }

  // For the supervisor's thread. Registers the sources; false when the system grants no more.
  bool Register() ABSL_LOCKS_EXCLUDED(mutex_);
  void Handle(Source source);
  // Kills the launcher, which has not answered Stop.
  void KillLauncher();
  bool IsOver() const;

  void ReadOutput(Channel channel);
  void ReadReport();
  void Reap();
  void Rearm(Channel channel) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnReport(const launcher::Report& report, int descriptor) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Pipe& PipeOf(Channel channel) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return channel == Channel::kStdout ? out_ : err_;
  }

  const pid_t launcher_;
  const Descriptor process_;
  const Descriptor control_;
  const uint64_t id_;
  const int epoll_;
  fibers::Event news_;

  mutable absl::Mutex mutex_;
  Pipe out_ ABSL_GUARDED_BY(mutex_);
  Pipe err_ ABSL_GUARDED_BY(mutex_);
  std::vector<OutputPiece> pieces_ ABSL_GUARDED_BY(mutex_);
  size_t buffered_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool reaped_ ABSL_GUARDED_BY(mutex_) = false;
  bool ready_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<launcher::Report> report_ ABSL_GUARDED_BY(mutex_);  // The last one but kReady.
  Descriptor upper_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_RUNNING_COMMAND_H_
