// How Write and Edit change one file: the same frame around two ways to work out the new content.
#ifndef TOOLGATE_EXECUTORS_FILES_FILE_CHANGE_H_
#define TOOLGATE_EXECUTORS_FILES_FILE_CHANGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/directory/directories.h"
#include "executors/directory/file_state.h"
#include "executors/tool.h"

namespace toolgate::executors::files {

// The new content of one file, worked out from the present one.
struct FileChange {
  std::string path;  // Canonical.
  std::string content;
  uint32_t mode = 0;
  // The state from which it was worked out; nothing: any.
  std::optional<directory::FileState> before;
  bool existed = false;
  Json data;                // The tool's answer.
  std::string description;  // For the undo stack.
  // For the diff.
  std::string text_before;
  std::string text_after;
  bool was_binary = false;  // No diff can show what was there.
};

// Makes the change: staged, recorded in the journal, moved into place, and kept for undo. The caller holds the
// directory's lock since before it worked the change out.
absl::StatusOr<Acted> MakeChange(directory::Directory& directory, FileChange change, const ToolContext& context,
                                 EffectSession& session);

// The answer of a dry run: with a unified diff, which is text from outside.
Acted ShowChange(FileChange change);

// The question to a person: the diff, and the digest of the state from which the change was worked out.
Preview PreviewChange(const FileChange& change, std::string state_digest, std::string_view verb);

// For both tools: finishes or takes back a change that was interrupted.
absl::StatusOr<Recovered> RecoverChange(directory::Directories& directories, ToolContext& context,
                                        EffectSession& session);

// Mode of a file or folder that is new, as the umask of this process has it.
uint32_t NewFileMode();
uint32_t NewFolderMode();

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_FILE_CHANGE_H_
