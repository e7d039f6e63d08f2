#include "executors/files/file_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/file_names.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/text/unified_diff.h"
#include "common/tool_error.h"
#include "executors/directory/content.h"
#include "executors/directory/name_search.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "executors/outside_quote.h"
#include "executors/tool.h"
#include "storage/undo_bound.h"

namespace toolgate::executors::files {
namespace {

using directory::FileKind;

absl::Status TooLarge(std::string_view path, int64_t size, int64_t max_bytes) {
  return directory::PathError(ErrorCode::kQuotaExceeded, path,
                              absl::StrCat("has ", storage::FormatBytes(size), "; tools take in files of up to ",
                                           storage::FormatBytes(max_bytes),
                                           " (files.max_file_bytes); work on parts of it by Bash, such as by "
                                           "head, sed or split"));
}

absl::StatusOr<std::string> ReadBytes(const directory::OpenFile& open, std::string_view path, int64_t max_bytes,
                                      const fibers::Cancellation& cancellation) {
  std::string bytes;
  RETURN_IF_ERROR(directory::ReadPieces(open.file.get(), path, max_bytes, [&](std::string_view piece) {
    bytes.append(piece);
    return cancellation.Check();
  }));
  return bytes;
}

absl::Status NotText(std::string_view path, int64_t size) {
  ToolError error = FileNameError(
      ErrorCode::kInvalidParams, directory::ShownPath(path),
      absl::StrCat("is a binary file of ", storage::FormatBytes(size), "; this tool takes text files only"));
  error.violations.push_back({"file", "text", "a text file", "a binary file"});
  return ToStatus(error);
}

directory::FileState StateOf(const struct stat& stat, std::string_view bytes) {
  return {FileKind::kFile, stat.st_mode & 07777, static_cast<int64_t>(bytes.size()), Sha256(bytes), ""};
}

int64_t NanosecondsOf(const struct timespec& time) {
  return absl::ToInt64Nanoseconds(absl::DurationFromTimespec(time));
}

// A file that was not read is the same as long as nothing has touched it.
std::string UnreadDigest(std::string_view path, const struct stat& stat) {
  return StateDigest(Json{{"path", HexEncode(path)},
                          {"kind", static_cast<int>(FileKind::kFile)},
                          {"mode", stat.st_mode & 07777},
                          {"size", stat.st_size},
                          {"inode", stat.st_ino},
                          {"modified", NanosecondsOf(stat.st_mtim)},
                          {"changed", NanosecondsOf(stat.st_ctim)}});
}

}  // namespace

absl::StatusOr<FileText> ReadText(const directory::Directory& directory, std::string_view path,
                                  const fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const directory::OpenFile open, directory.OpenToRead(path));
  const int64_t max_bytes = directory.limits().max_file_bytes;
  if (open.stat.st_size > max_bytes) return TooLarge(path, open.stat.st_size, max_bytes);
  const absl::StatusOr<std::string> bytes = ReadBytes(open, path, max_bytes, cancellation);
  if (absl::IsResourceExhausted(bytes.status())) return TooLarge(path, max_bytes + 1, max_bytes);
  RETURN_IF_ERROR(bytes.status());
  FileText text;
  text.path = open.path;
  text.state = StateOf(open.stat, *bytes);
  std::optional<DecodedText> decoded = DecodeText(*bytes);
  if (!decoded.has_value()) {
    return NotText(path, text.state.size);
  }
  text.decoded = *std::move(decoded);
  return text;
}

absl::StatusOr<FileText> ReadNamed(const directory::Directory& directory, std::string_view path,
                                   const fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const std::string meant, directory::FindAlike(directory, path));
  absl::StatusOr<FileText> text = ReadText(directory, meant, cancellation);
  if (!text.ok()) return directory::WithNearest(directory, meant, text.status());
  text->named_otherwise = meant != path;
  return text;
}

absl::Status ShowQuotes(const absl::Status& failed, EffectSession& session) {
  const std::optional<ToolError> error = GetToolError(failed);
  if (error.has_value() && QuotesOutside(*error)) RETURN_IF_ERROR(session.Output("text", error->message));
  return failed;
}

absl::StatusOr<Target> FindTarget(const directory::Directory& directory, std::string_view path) {
  ASSIGN_OR_RETURN(const directory::Resolved resolved, directory.Resolve(path, directory::Directory::LastLink::kKeep));
  RETURN_IF_ERROR(directory.CheckAllowed(resolved.path));
  const FileKind kind = resolved.kind();
  if (kind != FileKind::kMissing && kind != FileKind::kFile) {
    return directory::PathError(ErrorCode::kForbidden, path,
                                absl::StrCat("is a ", ToAbsl(directory::KindName(kind)), ", not a regular file",
                                             kind == FileKind::kLink ? "; name the file itself" : ""));
  }
  return Target{resolved.path, kind == FileKind::kFile, resolved.stat.st_mode & 07777, resolved.stat.st_size};
}

absl::StatusOr<SeenTarget> LookAtTarget(const directory::Directory& directory, const Target& target,
                                        const fibers::Cancellation& cancellation) {
  SeenTarget seen;
  if (!target.exists) {
    seen.state.emplace();
    seen.state_digest = StateDigestOf(target.path, *seen.state);
    return seen;
  }
  ASSIGN_OR_RETURN(const directory::OpenFile open, directory.OpenToRead(target.path));
  const int64_t max_bytes = directory.limits().max_file_bytes;
  absl::StatusOr<std::string> bytes = absl::ResourceExhaustedError("too large");
  if (open.stat.st_size <= max_bytes) bytes = ReadBytes(open, target.path, max_bytes, cancellation);
  if (absl::IsResourceExhausted(bytes.status())) {
    seen.state_digest = UnreadDigest(target.path, open.stat);
    return seen;
  }
  RETURN_IF_ERROR(bytes.status());
  seen.bytes = *std::move(bytes);
  seen.state = StateOf(open.stat, seen.bytes);
  seen.state_digest = StateDigestOf(target.path, *seen.state);
  return seen;
}

std::string StateDigestOf(std::string_view path, const directory::FileState& state) {
  return StateDigest(Json{{"path", HexEncode(path)},
                          {"kind", static_cast<int>(state.kind)},
                          {"mode", state.mode},
                          {"sha256", HexEncode(state.sha256)}});
}

ShownDiff DiffOf(std::string_view path, std::string_view before, std::string_view after, bool existed,
                 size_t max_bytes) {
  const std::string shown = directory::ShownPath(path);
  text::DiffOptions options;
  const std::string old_name = existed ? absl::StrCat("a/", shown) : "/dev/null";
  const std::string new_name = absl::StrCat("b/", shown);
  options.old_name = old_name;
  options.new_name = new_name;
  options.max_bytes = max_bytes;
  text::Diff diff = text::UnifiedDiff(before, after, options);
  return {std::move(diff.text), absl::StrCat("+", diff.added, " −", diff.removed, " lines"), diff.cut};
}

}  // namespace toolgate::executors::files
