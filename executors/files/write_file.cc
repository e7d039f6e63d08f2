#include "executors/files/write_file.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/directory/content.h"
#include "executors/directory/path.h"
#include "executors/files/file_change.h"
#include "executors/files/file_text.h"
#include "storage/undo_bound.h"

namespace toolgate::executors::files {
namespace {

// The old content is read only for a diff.
enum class Reads { kNothing, kOldContent };

absl::StatusOr<FileChange> PlanWrite(const directory::Directory& directory, const Json& arguments, Reads reads) {
  ASSIGN_OR_RETURN(const std::string path, directory::ParseFilePath("file", StringArgument(arguments, "file")));
  ASSIGN_OR_RETURN(const Target target, FindTarget(directory, path));
  FileChange change;
  change.path = target.path;
  change.content = StringArgument(arguments, "content");
  const int64_t max_bytes = directory.limits().max_file_bytes;
  const auto size = static_cast<int64_t>(change.content.size());
  if (size > max_bytes) {
    return MakeError(ErrorCode::kQuotaExceeded,
                     absl::StrCat("content has ", storage::FormatBytes(size), "; a file may have up to ",
                                  storage::FormatBytes(max_bytes)));
  }
  change.existed = target.exists;
  change.mode = target.exists ? target.mode & 0777 : NewFileMode();
  change.data = Json{{"bytes", size}, {"created", !target.exists}};
  change.description = absl::StrCat(target.exists ? "Wrote " : "Created ", directory::ShownPath(target.path));
  if (reads == Reads::kNothing) return change;
  change.text_after = change.content;
  if (!target.exists) return change;
  change.was_binary = target.size > max_bytes;
  if (change.was_binary) return change;
  ASSIGN_OR_RETURN(const directory::OpenFile open, directory.OpenToRead(target.path));
  ASSIGN_OR_RETURN(const std::string bytes, directory::ReadWhole(open.file.get(), path, max_bytes));
  std::optional<DecodedText> decoded = DecodeText(bytes);
  change.was_binary = !decoded.has_value();
  if (decoded.has_value()) change.text_before = std::move(decoded->text);
  return change;
}

}  // namespace

absl::StatusOr<Acted> WriteFile(directory::Directories& directories, ToolContext& context, EffectSession& session) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  if (context.dry_run) {
    ASSIGN_OR_RETURN(FileChange change, PlanWrite(*directory, context.arguments, Reads::kOldContent));
    return ShowChange(std::move(change));
  }
  ASSIGN_OR_RETURN(const directory::DirectoryLock lock, directory->Lock(session));
  ASSIGN_OR_RETURN(FileChange change, PlanWrite(*directory, context.arguments, Reads::kNothing));
  return MakeChange(*directory, std::move(change), context, session);
}

absl::StatusOr<Preview> PreviewWriteFile(directory::Directories& directories, ToolContext& context) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  ASSIGN_OR_RETURN(const FileChange change, PlanWrite(*directory, context.arguments, Reads::kOldContent));
  return PreviewChange(*directory, change, change.existed ? "Overwrite" : "Create");
}

}  // namespace toolgate::executors::files
