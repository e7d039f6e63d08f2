#ifndef TOOLGATE_EXECUTORS_FILES_READ_FILE_H_
#define TOOLGATE_EXECUTORS_FILES_READ_FILE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "executors/directory/directories.h"
#include "executors/tool.h"

namespace toolgate::executors::files {

// Lines of a text file, with the place to read on when the answer would be longer than `max_bytes`. Its data is text
// from outside.
absl::StatusOr<Acted> ReadFile(directory::Directories& directories, int64_t max_bytes, ToolContext& context,
                               EffectSession& session);

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_READ_FILE_H_
