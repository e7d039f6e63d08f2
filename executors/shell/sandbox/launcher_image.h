// The launcher's program, which is part of ours.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_LAUNCHER_IMAGE_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_LAUNCHER_IMAGE_H_

#include "absl/status/statusor.h"
#include "common/descriptor.h"

namespace toolgate::executors::shell::sandbox {

// A file in memory that holds the program, open for reading and ready to be run through /proc/self/fd. UNAVAILABLE when
// the system grants none.
absl::StatusOr<Descriptor> OpenLauncher();

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_LAUNCHER_IMAGE_H_
