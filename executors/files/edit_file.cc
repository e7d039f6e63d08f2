#include "executors/files/edit_file.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/directory/path.h"
#include "executors/files/file_change.h"
#include "executors/files/file_text.h"
#include "executors/files/near_match.h"
#include "executors/outside_quote.h"

namespace toolgate::executors::files {
namespace {

constexpr size_t kMaxNamedLines = 20;

std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  size_t copied = 0;
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from, copied)) {
    out.append(text.substr(copied, at - copied)).append(to);
    copied = at + from.size();
  }
  return out.append(text.substr(copied));
}

absl::Status NoMatch(const FileText& file, std::string_view wanted) {
  const std::string name = directory::ShownPath(file.path);
  const std::optional<NearMatch> nearest = FindNearest(file.decoded.text, wanted);
  if (!nearest.has_value()) {
    return MakeError(ErrorCode::kNotFound,
                     absl::StrCat("oldText does not occur in \"", name, "\", and no part of it is similar"));
  }
  ToolError error;
  error.code = ErrorCode::kNotFound;
  error.message =
      absl::StrCat("oldText does not occur in \"", name, "\"; the nearest is at line ", nearest->line,
                   nearest->difference.empty() ? "" : ": ", nearest->difference, ". There stands:\n", nearest->text);
  error.facts.emplace_back("line", absl::StrCat(nearest->line));
  MarkQuotesOutside(error);
  return ToStatus(error);
}

absl::Status Ambiguous(size_t count, const std::vector<size_t>& lines) {
  return MakeError(ErrorCode::kConflict, absl::StrCat("oldText occurs ", count, " times, at lines ",
                                                      absl::StrJoin(lines, ", "), count > lines.size() ? ", …" : "",
                                                      "; add lines around it until it is unique, or set replaceAll"));
}

absl::StatusOr<FileText> ReadToEdit(const directory::Directory& directory, const ToolContext& context) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(const std::string path, directory::ParseFilePath("file", StringArgument(arguments, "file")));
  if (StringArgument(arguments, "oldText") == StringArgument(arguments, "newText")) {
    return InvalidArgument("newText", "different", "newText is the same as oldText", "another text");
  }
  ASSIGN_OR_RETURN(const Target target, FindTarget(directory, path));
  return ReadText(directory, target.path, context.cancellation);
}

absl::StatusOr<FileChange> PlanEdit(const Json& arguments, FileText file) {
  const std::string_view from = StringArgument(arguments, "oldText");
  const std::string_view to = StringArgument(arguments, "newText");
  size_t count = 0;
  const std::vector<size_t> lines = LinesOfMatches(file.decoded.text, from, kMaxNamedLines, count);
  if (count == 0) return NoMatch(file, from);
  if (count > 1 && !BoolArgument(arguments, "replaceAll")) return Ambiguous(count, lines);
  FileChange change;
  change.path = file.path;
  change.text_after = Replaced(file.decoded.text, from, to);
  std::optional<std::string> content = EncodeText(change.text_after, file.decoded.encoding);
  if (!content.has_value()) {
    return InvalidArgument("newText", "encoding",
                           absl::StrCat("newText has characters that the file's encoding, ",
                                        ToAbsl(EncodingName(file.decoded.encoding)), ", has not"));
  }
  change.content = *std::move(content);
  change.mode = file.state.mode & 0777;
  change.before = file.state;
  change.existed = true;
  change.text_before = std::move(file.decoded.text);
  change.data = Json{{"replacements", count}, {"line", lines.front()}, {"bytes", change.content.size()}};
  change.description = absl::StrCat("Edited ", directory::ShownPath(change.path));
  return change;
}

// An error that quotes the file reaches the client like output from outside.
absl::Status Shown(const absl::Status& failed, EffectSession& session) {
  const std::optional<ToolError> error = GetToolError(failed);
  if (error.has_value() && QuotesOutside(*error)) RETURN_IF_ERROR(session.Output("text", error->message));
  return failed;
}

}  // namespace

absl::StatusOr<Acted> EditFile(directory::Directories& directories, ToolContext& context, EffectSession& session) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  directory::DirectoryLock lock;
  if (!context.dry_run) {
    ASSIGN_OR_RETURN(lock, directory->Lock(session));
  }
  std::optional<FileText> file;
  RETURN_IF_ERROR(session.CheckState([&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(file, ReadToEdit(*directory, context));
    return StateDigestOf(file->path, file->state);
  }));
  if (!file.has_value()) {
    ASSIGN_OR_RETURN(file, ReadToEdit(*directory, context));
  }
  absl::StatusOr<FileChange> change = PlanEdit(context.arguments, *std::move(file));
  if (!change.ok()) return Shown(change.status(), session);
  if (context.dry_run) return ShowChange(*std::move(change));
  return MakeChange(*directory, *std::move(change), context, session);
}

absl::StatusOr<Preview> PreviewEditFile(directory::Directories& directories, ToolContext& context) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  ASSIGN_OR_RETURN(FileText file, ReadToEdit(*directory, context));
  ASSIGN_OR_RETURN(const FileChange change, PlanEdit(context.arguments, std::move(file)));
  return PreviewChange(change, StateDigestOf(change.path, *change.before), "Edit");
}

}  // namespace toolgate::executors::files
