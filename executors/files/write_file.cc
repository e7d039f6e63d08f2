#include "executors/files/write_file.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/directory/name_search.h"
#include "executors/directory/path.h"
#include "executors/files/file_change.h"
#include "executors/files/file_text.h"
#include "storage/undo_bound.h"

namespace toolgate::executors::files {
namespace {

absl::StatusOr<Target> TargetOf(const directory::Directory& directory, const Json& arguments) {
  ASSIGN_OR_RETURN(const std::string path, directory::ParseFilePath("file", StringArgument(arguments, "file")));
  RETURN_IF_ERROR(directory::RefuseAlike(directory, path));
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
                                  storage::FormatBytes(max_bytes), " (files.max_file_bytes); split it into several"));
  }
  change.existed = target.exists;
  change.mode = target.exists ? target.mode & 0777 : NewFileMode();
  change.data = Json{{"bytes", size}, {"created", !target.exists}};
  change.description = absl::StrCat(target.exists ? "Wrote " : "Created ", directory::ShownPath(target.path));
  return change;
}

// Content that was read from a file with stray bytes has lost them.
absl::Status CheckStrays(std::string_view content, const DecodedText& before) {
  if (before.strays.empty() || content.find(kReplacement) == std::string_view::npos) return absl::OkStatus();
  const StrayByte& first = before.strays.front();
  const std::string_view head = std::string_view(before.text).substr(0, first.at);
  return InvalidArgument(
      "content", "encoding",
      absl::StrCat("content has U+FFFD, which Read shows for the ", before.strays.size(),
                   " bytes of this file that are not UTF-8, the first of them ", absl::StrFormat("0x%02X", first.byte),
                   " in line ", std::count(head.begin(), head.end(), '\n') + 1,
                   "; writing it would lose them. Use Edit, which keeps them, or write the characters that are meant"),
      "content without U+FFFD");
}

// Tells a caller who has only seen the text that more than the text is replaced; "" when nothing is.
std::string FormChange(const DecodedText& before, std::string_view content) {
  const std::string_view encoding = EncodingName(before.encoding);
  const std::string_view ends = LineEndsOf(before.text);
  const std::string_view new_ends = LineEndsOf(content);
  std::vector<std::string> changes;
  if (before.encoding != Encoding::kUtf8) changes.push_back(absl::StrCat("encoding ", ToAbsl(encoding), " to utf-8"));
  if (ends != new_ends && !ends.empty() && !new_ends.empty()) {
    changes.push_back(absl::StrCat("line ends ", ToAbsl(ends), " to ", ToAbsl(new_ends)));
  }
  return absl::StrJoin(changes, ", ");
}

// A change, and the state in which it is made.
struct PlannedWrite {
  FileChange change;
  SeenTarget seen;
};

absl::StatusOr<PlannedWrite> Plan(const directory::Directory& directory, const ToolContext& context) {
  ASSIGN_OR_RETURN(const Target target, TargetOf(directory, context.arguments));
  ASSIGN_OR_RETURN(FileChange change, PlanWrite(directory, context.arguments, target));
  ASSIGN_OR_RETURN(SeenTarget seen, LookAtTarget(directory, target, context.cancellation));
  std::optional<DecodedText> decoded = seen.state.has_value() ? DecodeText(seen.bytes) : std::nullopt;
  change.was_binary = target.exists && !decoded.has_value();
  change.text_after = change.content;
  if (target.exists && decoded.has_value()) {
    RETURN_IF_ERROR(CheckStrays(change.content, *decoded));
    std::string form = FormChange(*decoded, change.content);
    if (!form.empty()) change.data["formChanged"] = std::move(form);
  }
  if (decoded.has_value()) change.text_before = std::move(decoded->text);
  return PlannedWrite{std::move(change), std::move(seen)};
}

}  // namespace

absl::StatusOr<Acted> WriteFile(directory::Directories& directories, ToolContext& context, EffectSession& session) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  if (context.dry_run) {
    absl::StatusOr<PlannedWrite> planned = Plan(*directory, context);
    if (!planned.ok()) return ShowQuotes(planned.status(), session);
    return ShowChange(std::move(planned->change));
  }
  ASSIGN_OR_RETURN(const directory::DirectoryLock lock, directory->Lock(session));
  std::optional<PlannedWrite> approved;
  RETURN_IF_ERROR(session.CheckState([&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(approved, Plan(*directory, context));
    return approved->seen.state_digest;
  }));
  if (approved.has_value()) {
    approved->change.before = std::move(approved->seen.state);
    return MakeChange(*directory, std::move(approved->change), context, session);
  }
  absl::StatusOr<PlannedWrite> planned = Plan(*directory, context);
  if (!planned.ok()) return ShowQuotes(planned.status(), session);
  return MakeChange(*directory, std::move(planned->change), context, session);
}

absl::StatusOr<Preview> PreviewWriteFile(directory::Directories& directories, ToolContext& context) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  ASSIGN_OR_RETURN(PlannedWrite planned, Plan(*directory, context));
  return PreviewChange(planned.change, std::move(planned.seen.state_digest),
                       planned.change.existed ? "Overwrite" : "Create");
}

}  // namespace toolgate::executors::files
