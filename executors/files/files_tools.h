// The family of tools that read and change files of a workspace's directory: Read, Write and Edit.
#ifndef TOOLGATE_EXECUTORS_FILES_FILES_TOOLS_H_
#define TOOLGATE_EXECUTORS_FILES_FILES_TOOLS_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "executors/directory/directories.h"
#include "executors/family.h"
#include "executors/files/settings.pb.h"

namespace toolgate::executors::files {

// The directories of all workspaces, as the section "files" has them; one object for all families of a catalogue.
// FAILED_PRECONDITION names the setting that cannot be served.
absl::StatusOr<std::shared_ptr<directory::Directories>> DirectoriesOf(const FamilyContext& context);

// Undo of every change of files is this family's.
Family FilesFamily();

// `settings` has a value for every field. INVALID_ARGUMENT for a pattern that is none.
absl::StatusOr<directory::Directories::Options> OptionsOf(const FilesSettings& settings);

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_FILES_TOOLS_H_
