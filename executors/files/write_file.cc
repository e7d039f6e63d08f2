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
#include "executors/directory/path.h"
#include "executors/files/file_change.h"
#include "executors/files/file_text.h"
#include "storage/undo_bound.h"

namespace toolgate::executors::files {
namespace {

absl::StatusOr<Target> TargetOf(const directory::Directory& directory, const Json& arguments) {
  ASSIGN_OR_RETURN(const std::string path, directory::ParseFilePath("file", StringArgument(arguments, "file")));
  return FindTarget(directory, path);
}

absl::StatusOr<FileChange> PlanWrite(const directory::Directory& directory, const Json& arguments,
                                     const Target& target) {
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
  return change;
}

// A change that is only shown, and the digest of the state in which it would be made.
struct ShownWrite {
  FileChange change;
  std::string state_digest;
};

absl::StatusOr<ShownWrite> PlanShownWrite(const directory::Directory& directory, const ToolContext& context) {
  ASSIGN_OR_RETURN(const Target target, TargetOf(directory, context.arguments));
  ASSIGN_OR_RETURN(FileChange change, PlanWrite(directory, context.arguments, target));
  ASSIGN_OR_RETURN(SeenTarget seen, LookAtTarget(directory, target, context.cancellation));
  std::optional<DecodedText> decoded = seen.state.has_value() ? DecodeText(seen.bytes) : std::nullopt;
  change.was_binary = target.exists && !decoded.has_value();
  change.text_after = change.content;
  if (decoded.has_value()) change.text_before = std::move(decoded->text);
  return ShownWrite{std::move(change), std::move(seen.state_digest)};
}

}  // namespace

absl::StatusOr<Acted> WriteFile(directory::Directories& directories, ToolContext& context, EffectSession& session) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  if (context.dry_run) {
    ASSIGN_OR_RETURN(ShownWrite shown, PlanShownWrite(*directory, context));
    return ShowChange(std::move(shown.change));
  }
  ASSIGN_OR_RETURN(const directory::DirectoryLock lock, directory->Lock(session));
  std::optional<directory::FileState> approved;
  RETURN_IF_ERROR(session.CheckState([&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const Target target, TargetOf(*directory, context.arguments));
    ASSIGN_OR_RETURN(SeenTarget seen, LookAtTarget(*directory, target, context.cancellation));
    approved = std::move(seen.state);
    return std::move(seen.state_digest);
  }));
  ASSIGN_OR_RETURN(const Target target, TargetOf(*directory, context.arguments));
  ASSIGN_OR_RETURN(FileChange change, PlanWrite(*directory, context.arguments, target));
  change.before = std::move(approved);
  return MakeChange(*directory, std::move(change), context, session);
}

absl::StatusOr<Preview> PreviewWriteFile(directory::Directories& directories, ToolContext& context) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  ASSIGN_OR_RETURN(ShownWrite shown, PlanShownWrite(*directory, context));
  return PreviewChange(shown.change, std::move(shown.state_digest), shown.change.existed ? "Overwrite" : "Create");
}

}  // namespace toolgate::executors::files
