#ifndef TOOLGATE_EXECUTORS_FILES_EDIT_FILE_H_
#define TOOLGATE_EXECUTORS_FILES_EDIT_FILE_H_

#include "absl/status/statusor.h"
#include "executors/directory/directories.h"
#include "executors/tool.h"

namespace toolgate::executors::files {

// Replaces the one occurrence of a text, or all, and keeps the file's encoding. NOT_FOUND shows the lines that are
// nearest to the text; CONFLICT, when it occurs more than once, names the lines.
absl::StatusOr<Acted> EditFile(directory::Directories& directories, ToolContext& context, EffectSession& session);
absl::StatusOr<Preview> PreviewEditFile(directory::Directories& directories, ToolContext& context);

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_EDIT_FILE_H_
