#include "executors/files/read_file.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "executors/arguments.h"
#include "executors/directory/path.h"
#include "executors/files/file_text.h"

namespace toolgate::executors::files {
namespace {

constexpr size_t kMaxListedStrays = 20;

int64_t CountLines(std::string_view text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

// A part of a text, in whole lines.
struct Part {
  std::string content;
  int64_t lines = 0;
  int64_t cut_after = 0;  // Characters of the only line, which is too long for an answer; 0: it is not.
};

std::string_view FromLine(std::string_view text, int64_t first) {
  for (int64_t line = 1; line < first; ++line) text.remove_prefix(text.find('\n') + 1);
  return text;
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

// The lines of `text`, which begins in the line `first`.
Part TakeLines(std::string_view text, int64_t first, int64_t limit, bool numbers, int64_t max_bytes) {
  Part part;
  while (!text.empty() && part.lines < limit) {
    const size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string mark = numbers ? absl::StrFormat("%6d\t", first + part.lines) : "";
    const size_t room = static_cast<size_t>(max_bytes) - part.content.size();
    if (mark.size() + length > room) {
      if (part.lines > 0) break;
      const std::string_view head = text::PrefixOfBytes(text, room - std::min(room, mark.size()));
      part.cut_after = static_cast<int64_t>(text::CountCharacters(head));
      part.content = absl::StrCat(mark, std::string(head));
      part.lines = 1;
      break;
    }
    absl::StrAppend(&part.content, mark, std::string(text.substr(0, length)));
    text.remove_prefix(length);
    ++part.lines;
  }
  return part;
}

// The lines of bytes that are shown as U+FFFD, and the character that Windows-1252 has for each, which is mostly the
// one that was meant.
Json StraysJson(const DecodedText& decoded) {
  Json list = Json::array();
  int64_t line = 1;
  size_t counted = 0;
  for (const StrayByte& stray : decoded.strays) {
    if (list.size() == kMaxListedStrays) break;
    line += std::count(decoded.text.begin() + static_cast<std::ptrdiff_t>(counted),
                       decoded.text.begin() + static_cast<std::ptrdiff_t>(stray.at), '\n');
    counted = stray.at;
    list.push_back(Json{
        {"line", line}, {"byte", absl::StrFormat("0x%02X", stray.byte)}, {"windows1252", InWindows1252(stray.byte)}});
  }
  return list;
}

}  // namespace

absl::StatusOr<Acted> ReadFile(directory::Directories& directories, int64_t max_bytes, ToolContext& context,
                               EffectSession& session) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(const std::string path, directory::ParseFilePath("file", StringArgument(arguments, "file")));
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  absl::StatusOr<FileText> read = ReadNamed(*directory, path, context.cancellation);
  if (!read.ok()) return ShowQuotes(read.status(), session);
  const FileText file = *std::move(read);
  const std::string_view text = file.decoded.text;
  const int64_t total = CountLines(text);
  const int64_t first = OptionalInteger(arguments, "offset").value_or(1);
  if (first > std::max(total, int64_t{1})) {
    return InvalidArgument("offset", "maximum",
                           absl::StrCat("offset is ", first, ", but the file has ", total, " lines"),
                           "the number of a line");
  }
  std::string_view rest = FromLine(text, first);
  const int64_t column = OptionalInteger(arguments, "column").value_or(1);
  const auto characters = static_cast<int64_t>(text::CountCharacters(FirstLine(rest)));
  if (column > characters + 1) {  // The line's end counts as one.
    return InvalidArgument("column", "maximum",
                           absl::StrCat("column is ", column, ", but line ", first, " has ", characters, " characters"),
                           "the number of a character in the line");
  }
  rest.remove_prefix(text::PrefixOfCharacters(rest, static_cast<size_t>(column - 1)).size());
  const int64_t limit = OptionalInteger(arguments, "limit").value_or(total);
  Part part = TakeLines(rest, first, limit, BoolArgument(arguments, "lineNumbers"), max_bytes);
  const int64_t next = first + part.lines;
  Json data{{"content", std::move(part.content)},
            {"encoding", std::string(EncodingName(file.decoded.encoding))},
            {"size", file.state.size},
            {"totalLines", total}};
  if (file.named_otherwise) data["file"] = directory::ShownPath(file.path);
  if (!file.decoded.strays.empty()) {
    data["strayBytes"] = file.decoded.strays.size();
    data["strays"] = StraysJson(file.decoded);
  }
  if (next <= total) {
    data["truncated"] = true;
    data["nextOffset"] = next;
  }
  if (part.cut_after > 0) {
    data["truncated"] = true;
    data["lineCut"] = true;
    data["nextColumn"] = column + part.cut_after;
  }
  Acted acted;
  acted.output.data_json = DumpJson(data);
  acted.output.untrusted = true;
  return acted;
}

}  // namespace toolgate::executors::files
