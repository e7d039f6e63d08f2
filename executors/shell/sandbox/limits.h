// Bounds of one command.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_LIMITS_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace toolgate::executors::shell::sandbox {

struct CommandLimits {
  int64_t max_processes = 256;                       // Of all together, threads included.
  int64_t max_memory_bytes = int64_t{2} << 30;       // Of each process, and of all together.
  absl::Duration max_cpu = absl::Minutes(10);        // Of each process.
  int64_t max_file_bytes = int64_t{256} << 20;       // One file.
  int64_t max_changed_bytes = int64_t{512} << 20;    // All files that the command changes.
  int64_t max_changed_files = 20000;                 // The same, in files and folders.
  int64_t max_temporary_bytes = int64_t{256} << 20;  // /tmp.
  int64_t max_open_files = 1024;                     // Of each process.
};

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_LIMITS_H_
