// Files without a name, in memory.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_MEMORY_FILE_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_MEMORY_FILE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "common/descriptor.h"

namespace toolgate::executors::shell::sandbox {

// A file that holds `content`, open for reading only, from its beginning: a program could not be run while anybody has
// it open for writing. UNAVAILABLE when the system grants none.
absl::StatusOr<Descriptor> MakeMemoryFile(const char* name, std::string_view content);

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_MEMORY_FILE_H_
