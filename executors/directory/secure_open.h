// openat2, and what failures of file calls mean to a caller.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_SECURE_OPEN_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_SECURE_OPEN_H_

#include <string_view>

#include "absl/status/status.h"
#include "common/descriptor.h"
#include "common/tool_error.h"

namespace toolgate::executors::directory {

// Opens `path` below `folder` with openat2, RESOLVE_BENEATH, RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS and
// RESOLVE_NO_XDEV, and O_CLOEXEC. `path` "" or "." is the folder itself. With O_PATH | O_NOFOLLOW in `flags` a link in
// the last place is opened itself. Not valid on failure; errno says why.
Descriptor OpenBeneath(int folder, std::string_view path, int flags, unsigned mode = 0);

// `"<path>" <problem>`, with the path as a fact, so that layer 5 leaves it readable (common/file_names.h).
absl::Status PathError(ErrorCode code, std::string_view path, std::string_view problem);

// The ToolError for `error`, an errno, at a canonical path. INTERNAL without one when the file system fails.
absl::Status FileError(int error, std::string_view path);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_SECURE_OPEN_H_
