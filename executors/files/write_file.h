#ifndef TOOLGATE_EXECUTORS_FILES_WRITE_FILE_H_
#define TOOLGATE_EXECUTORS_FILES_WRITE_FILE_H_

#include "absl/status/statusor.h"
#include "executors/directory/directories.h"
#include "executors/tool.h"

namespace toolgate::executors::files {

// Replaces a file's content, or makes the file and the folders above it.
absl::StatusOr<Acted> WriteFile(directory::Directories& directories, ToolContext& context, EffectSession& session);
absl::StatusOr<Preview> PreviewWriteFile(directory::Directories& directories, ToolContext& context);

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_WRITE_FILE_H_
