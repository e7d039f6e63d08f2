#include "executors/files/edit_file.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/file_names.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/directory/name_search.h"
#include "executors/directory/path.h"
#include "executors/files/file_change.h"
#include "executors/files/file_text.h"
#include "executors/files/near_match.h"
#include "executors/files/text_edit.h"
#include "executors/outside_quote.h"

namespace toolgate::executors::files {
namespace {

constexpr size_t kMaxNamedLines = 20;

absl::Status NoMatch(const FileText& file, const LineView& view, std::string_view wanted) {
  const std::string name = directory::ShownPath(file.path);
  const std::optional<NearMatch> nearest = FindNearest(view.text(), wanted);
  ToolError error;
  error.code = ErrorCode::kNotFound;
  error.message = absl::StrCat("oldText does not occur in \"", name, "\"");
  error.facts.emplace_back(kFileFact, name);
  if (!nearest.has_value()) {
    absl::StrAppend(&error.message, ", and no part of it is similar");
    return ToStatus(error);
  }
  absl::StrAppend(&error.message, "; the nearest is at line ", nearest->line, nearest->difference.empty() ? "" : ": ",
                  nearest->difference, ". It is:\n", nearest->text);
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
  ASSIGN_OR_RETURN(const std::string meant, directory::FindAlike(directory, path));
  ASSIGN_OR_RETURN(const Target target, FindTarget(directory, meant));
  absl::StatusOr<FileText> file = ReadText(directory, target.path, context.cancellation);
  if (!file.ok()) return directory::WithNearest(directory, meant, file.status());
  file->named_otherwise = meant != path;
  return file;
}

absl::StatusOr<FileChange> PlanEdit(const Json& arguments, FileText file) {
  const std::string_view from = StringArgument(arguments, "oldText");
  const std::string_view to = StringArgument(arguments, "newText");
  const LineView view(file.decoded.text, from);
  size_t count = 0;
  const std::vector<size_t> lines = LinesOfMatches(view.text(), from, kMaxNamedLines, count);
  if (count == 0) return NoMatch(file, view, from);
  if (count > 1 && !BoolArgument(arguments, "replaceAll")) return Ambiguous(count, lines);
  ASSIGN_OR_RETURN(DecodedText after, ReplaceText(file.decoded, view, from, to));
  std::optional<std::string> content = EncodeText(after.text, after.encoding, after.strays);
  if (!content.has_value()) return absl::InternalError("a text was edited that its encoding cannot hold");
  FileChange change;
  change.path = file.path;
  change.content = *std::move(content);
  change.text_after = std::move(after.text);
  change.mode = file.state.mode & 0777;
  change.before = file.state;
  change.existed = true;
  change.text_before = std::move(file.decoded.text);
  change.data = Json{{"replacements", count}, {"line", lines.front()}, {"bytes", change.content.size()}};
  if (file.named_otherwise) change.data["file"] = directory::ShownPath(change.path);
  change.description = absl::StrCat("Edited ", directory::ShownPath(change.path));
  return change;
}

absl::StatusOr<FileChange> ReadAndPlan(const directory::Directory& directory, const ToolContext& context) {
  ASSIGN_OR_RETURN(FileText file, ReadToEdit(directory, context));
  return PlanEdit(context.arguments, std::move(file));
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
  absl::StatusOr<FileChange> change =
      file.has_value() ? PlanEdit(context.arguments, *std::move(file)) : ReadAndPlan(*directory, context);
  if (!change.ok()) return ShowQuotes(change.status(), session);
  if (context.dry_run) return ShowChange(*std::move(change));
  return MakeChange(*directory, *std::move(change), context, session);
}

absl::StatusOr<Preview> PreviewEditFile(directory::Directories& directories, ToolContext& context) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  ASSIGN_OR_RETURN(const FileChange change, ReadAndPlan(*directory, context));
  return PreviewChange(change, StateDigestOf(change.path, *change.before), "Edit");
}

}  // namespace toolgate::executors::files
