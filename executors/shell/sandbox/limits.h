// Bounds of one command.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_LIMITS_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace toolgate::executors::shell::sandbox {

// Those of ShellSettings.
struct CommandLimits {
  int64_t max_processes;        // Of all together, threads included.
  int64_t max_memory_bytes;     // Of each process, and of all together.
  absl::Duration max_cpu;       // Of each process.
  int64_t max_file_bytes;       // One file.
  int64_t max_changed_bytes;    // All files that the command changes.
  int64_t max_changed_files;    // The same, in files and folders.
  int64_t max_temporary_bytes;  // /tmp.
  int64_t max_temporary_files;  // The same, in files and folders.
  int64_t max_open_files;       // Of each process.
};

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_LIMITS_H_
