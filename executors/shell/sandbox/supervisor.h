// Watches over all commands with one thread.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_SUPERVISOR_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_SUPERVISOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/descriptor.h"
#include "executors/shell/sandbox/running_command.h"

namespace toolgate::executors::shell::sandbox {

// Starts launchers, reads the pipes of their commands, and reaps them. Its thread starts with the first command.
// Thread-safe.
class Supervisor {
 public:
  // UNAVAILABLE when the system grants no descriptors.
  static absl::StatusOr<std::unique_ptr<Supervisor>> Create();
  // Kills all commands and waits until they are gone.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Borrowed for the call.
  struct Launch {
    int launcher;                                 // Its program.
    int workspace;                                // The directory.
    std::string_view job;                         // As EncodeJob makes it.
    int filter;                                   // The seccomp program, a file in memory.
    int group;                                    // The folder of the command's control group; -1: it has none.
    const std::vector<std::string>& environment;  // NAME=VALUE.
  };
  // UNAVAILABLE when the system grants no process or descriptor.
  absl::StatusOr<std::shared_ptr<RunningCommand>> Start(const Launch& launch) ABSL_LOCKS_EXCLUDED(mutex_);

  // Has a command killed, and its launcher too if that does not end by itself.
  void Stop(RunningCommand& command) ABSL_LOCKS_EXCLUDED(mutex_);

  // Commands whose processes are not all gone.
  size_t running() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Supervisor(Descriptor epoll, Descriptor wake);

  void Run();
  void HandleKey(uint64_t key);
  void KillOverdue() ABSL_LOCKS_EXCLUDED(mutex_);
  std::shared_ptr<RunningCommand> Find(uint64_t id) const ABSL_LOCKS_EXCLUDED(mutex_);

  const Descriptor epoll_;
  const Descriptor wake_;  // An eventfd: the end.
  mutable absl::Mutex mutex_;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::flat_hash_map<uint64_t, std::shared_ptr<RunningCommand>> commands_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, int64_t> stopping_ ABSL_GUARDED_BY(mutex_);  // Rounds of the thread since Stop.
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_SUPERVISOR_H_
