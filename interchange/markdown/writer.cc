#include "interchange/markdown/writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "interchange/markdown/spelling.h"
#include "interchange/markdown/text.h"

namespace toolgate::interchange::markdown {
namespace {

// Maximum nesting of lists and quotes, the same as for reading; deeper ones are written at this depth.
constexpr size_t kMaxContainers = 24;
constexpr std::string_view kUntitled = "Untitled";

// A text member; "" if absent.
std::string Text(const Json& data, const char* key) {
  const auto found = data.find(key);
  return found != data.end() && found->is_string() ? found->get<std::string>() : "";
}

bool IsTrue(const Json& data, const char* key) {
  const auto found = data.find(key);
  return found != data.end() && *found == true;
}

// An array member; empty if absent.
Json List(const Json& data, const char* key) {
  const auto found = data.find(key);
  return found != data.end() && found->is_array() ? *found : Json::array();
}

bool IsEmpty(const Json& value) {
  return value.is_string() ? value.get_ref<const std::string&>().empty() : value.empty();
}

std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list) texts.push_back(item.is_string() ? item.get<std::string>() : DumpJson(item));
  return texts;
}

// A value for people.
std::string Shown(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array()) return absl::StrJoin(Texts(value), ", ");
  return DumpJson(value);
}

// A task's properties other than its box, in words.
std::string TaskWords(const Json& data) {
  std::vector<std::string> words;
  if (Text(data, "status") == "in_progress") words.emplace_back("in progress");
  if (const std::string due = Text(data, "dueDate"); !due.empty()) words.push_back("due " + due);
  if (const std::string priority = Text(data, "priority"); !priority.empty()) words.push_back(priority + " priority");
  if (const std::string person = Text(data, "assignedTo"); !person.empty()) words.push_back("for " + person);
  if (const Json tags = List(data, "tags"); !tags.empty()) {
    words.push_back(absl::StrCat("tagged ", absl::StrJoin(Texts(tags), ", ")));
  }
  return words.empty() ? "" : absl::StrCat("(", absl::StrJoin(words, ", "), ")");
}

std::string WithWords(const std::string& text, const std::string& words) {
  return absl::StrCat(text, text.empty() || words.empty() ? "" : " ", words);
}

// The members in a document's front matter, in this order. Only a page's are read back.
std::vector<const char*> MattersOf(std::string_view type) {
  if (type == "page") return {"tags", "icon", "description"};
  if (type == "note") return {"tags"};
  if (type == "journal_entry") return {"date", "mood", "tags"};
  if (type == "automation") return {"enabled"};
  if (type == "calendar_event") {
    return {"date",   "time",     "endDate",    "endTime",      "timeZone",   "type",
            "status", "location", "recurrence", "recurrenceId", "exceptions", "tags"};
  }
  return {};
}

// As YAML, which includes JSON.
Json CleanMatter(const Json& value) {
  if (value.is_string()) return CleanText(value.get_ref<const std::string&>());
  if (!value.is_array()) return value;
  Json clean = Json::array();
  for (const Json& item : value) clean.push_back(item.is_string() ? Json(CleanLine(item.get<std::string>())) : item);
  return clean;
}

size_t LongestRun(std::string_view text, char of) {
  size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == of ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// Escapes anything that would be read as an escape, an entity or part of the fence. Readers process entities before
// escapes here, so an ampersand must be an entity itself.
std::string SpellLanguage(std::string_view language) {
  std::string text;
  for (const char c : language) {
    if (c == '\\' || c == '~') text += '\\';
    if (c == '&') {
      text += "&amp;";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

bool MarkdownWriter::IsDocument(std::string_view type) {
  static constexpr std::array<std::string_view, 7> kDocuments = {"page",          "kanban_board",   "database",  "note",
                                                                 "journal_entry", "calendar_event", "automation"};
  return std::find(kDocuments.begin(), kDocuments.end(), type) != kDocuments.end();
}

MarkdownWriter::MarkdownWriter(std::string_view type, const Json& data) {
  FrontMatter(type, data);
  std::string title = SpellTitle(Text(data, "title"));
  if (title.empty()) title = kUntitled;
  Begin();
  Line(absl::StrCat("# ", title));
  Body(Text(data, "body"));
  if (type != "page") Body(Text(data, "description"));
  if (type == "automation") Code(List(data, "steps").dump(2), "json");
  if (type == "database") Columns(data);
}

void MarkdownWriter::FrontMatter(std::string_view type, const Json& data) {
  std::string lines;
  for (const char* name : MattersOf(type)) {
    const auto found = data.find(name);
    if (found == data.end() || IsEmpty(*found)) continue;
    absl::StrAppend(&lines, name, ": ", DumpJson(CleanMatter(*found)), "\n");
  }
  if (!lines.empty()) text_ = absl::StrCat("---\n", lines, "---\n");
}

void MarkdownWriter::Columns(const Json& data) {
  columns_.emplace();
  for (const Json& property : List(data, "properties")) {
    columns_->push_back({Text(property, "id"), Text(property, "name")});
  }
  head_ = std::exchange(text_, "");
}

void MarkdownWriter::Add(int depth, std::string_view type, const Json& data) {
  CloseContainers(depth);
  if (type == "database_row" && columns_.has_value()) return Row(data);
  if (!row_title_.empty()) Heading(2, std::exchange(row_title_, ""));
  Block(depth, type, data);
  if (type != "numbered_list_item") {
    const auto holder = std::find_if(containers_.rbegin(), containers_.rend(),
                                     [&](const Container& container) { return container.depth < depth; });
    holder->numbered = 0;
  }
}

void MarkdownWriter::Block(int depth, std::string_view type, const Json& data) {
  const std::string content = Text(data, "content");
  if (type == "heading") {
    const auto level = data.find("level");
    Heading(level != data.end() && level->is_number_integer() ? level->get<int>() : 1, content);
  } else if (type == "todo") {
    Item(depth, IsTrue(data, "completed") || Text(data, "status") == "done" ? "- [x] " : "- [ ] ", type,
         WithWords(content, TaskWords(data)));
    Body(Text(data, "description"));
  } else if (type == "kanban_column") {
    Heading(2, Text(data, "title"));
  } else if (type == "kanban_card") {
    Item(depth, Text(data, "status") == "done" ? "- [x] " : "- [ ] ", "todo",
         WithWords(Text(data, "title"), TaskWords(data)));
    Body(Text(data, "description"));
  } else if (type == "bulleted_list_item") {
    Item(depth, "- ", type, content);
  } else if (type == "numbered_list_item") {
    Item(depth, absl::StrCat(++containers_.back().numbered, ". "), type, content);
  } else if (type == "quote") {
    Quote(depth, "", type, data);
  } else if (type == "callout") {
    const std::string name = CalloutName(CleanLine(Text(data, "icon")));
    const bool fits = name.find_first_of("[]\\<&`*_") == std::string::npos;
    Quote(depth, absl::StrCat("[!", fits ? name : std::string(kPlainCallout), "]"), type, data);
  } else if (type == "code") {
    Code(content, Text(data, "language"));
  } else if (type == "table") {
    Table(List(data, "header"), List(data, "rows"));
  } else if (type == "divider") {
    Begin();
    Line("***");  // "---" would open front matter.
  } else if (type == "image") {
    Image(data);
  } else if (type == "database_row") {
    LooseRow(depth, data);
  } else if (const std::string text = SpellContent("paragraph", content); !text.empty()) {
    Begin();
    Lines(text);
  }
}

void MarkdownWriter::Item(int depth, std::string marker, std::string_view type, std::string_view content) {
  const std::string text = SpellContent(type, content);
  Begin(true, text.empty());
  // "- - -" would be a divider.
  const Container& outer = containers_.back();
  if (marker == "- " && !outer.begun && outer.first == marker) marker = "+ ";
  std::string rest(type == "todo" ? 2 : marker.size(), ' ');
  OpenContainer(depth, std::move(marker), std::move(rest));
  if (!text.empty() || type == "todo") Lines(text);  // A box needs its line, even if there is only content below.
}

void MarkdownWriter::Quote(int depth, std::string_view first_line, std::string_view type, const Json& data) {
  const std::string text = SpellContent(type, Text(data, "content"));
  Begin();
  OpenContainer(depth, "> ", "> ");
  if (!first_line.empty()) Line(first_line);
  if (!text.empty()) Lines(text);
}

void MarkdownWriter::Heading(int level, std::string_view content) {
  const std::string text = SpellContent("heading", content);
  if (text.empty()) return;  // Valid Markdown, but without meaning.
  Begin();
  Line(absl::StrCat(std::string(static_cast<size_t>(std::clamp(level, 1, 6)), '#'), " ", text));
}

void MarkdownWriter::Code(std::string_view content, std::string_view language) {
  const bool one_word = language.find_first_of(" \t,{") == std::string_view::npos;
  // A fence of backticks cannot be followed by one, not even escaped.
  const char mark = one_word && language.find('`') != std::string_view::npos ? '~' : '`';
  const std::string fence(std::max<size_t>(3, LongestRun(content, mark) + 1), mark);
  Begin();
  Line(absl::StrCat(fence, one_word ? SpellLanguage(CleanLine(language)) : ""));
  if (!content.empty()) Lines(CleanText(content));
  Line(fence);
}

void MarkdownWriter::Table(const Json& header, const Json& rows) {
  size_t columns = header.size();
  for (const Json& row : rows) columns = std::max(columns, row.size());
  if (columns == 0) return;
  const auto line = [&](const Json& cells) {
    std::string text = "|";
    for (size_t i = 0; i < columns; ++i) {
      absl::StrAppend(&text, " ", i < cells.size() ? SpellCell(Shown(cells[i])) : "", " |");
    }
    Line(text);
  };
  Begin();
  line(header);
  std::string rule = "|";
  for (size_t i = 0; i < columns; ++i) rule += " --- |";
  Line(rule);
  for (const Json& row : rows) line(row);
}

void MarkdownWriter::Image(const Json& data) {
  const std::string target = LinkTarget(CleanLine(Text(data, "url")), CleanLine(Text(data, "caption")));
  Begin();
  Line(absl::StrCat("![", SpellLiterally(Text(data, "alt")), "](", target, ")"));
}

void MarkdownWriter::Row(const Json& data) {
  const auto values = data.find("properties");
  Json cells = Json::array();
  for (const Column& column : *columns_) {
    const bool has_value = values != data.end() && values->is_object() && values->contains(column.id);
    cells.push_back(has_value ? Shown((*values)[column.id]) : "");
  }
  row_title_ = cells.empty() ? "" : cells[0].get<std::string>();
  if (row_title_.empty()) row_title_ = absl::StrCat("Row ", rows_.size() + 1);
  rows_.push_back(std::move(cells));
}

// A row whose database is elsewhere: only the properties' ids are known.
void MarkdownWriter::LooseRow(int depth, const Json& data) {
  std::vector<std::string> words;
  if (const auto values = data.find("properties"); values != data.end() && values->is_object()) {
    for (const auto& [id, value] : values->items()) words.push_back(absl::StrCat(id, ": ", Shown(value)));
  }
  Item(depth, "- ", "bulleted_list_item", absl::StrJoin(words, ", "));
}

void MarkdownWriter::Body(std::string_view markdown) {
  std::string clean = CleanText(markdown);
  absl::StripTrailingAsciiWhitespace(&clean);
  clean.erase(0, clean.find_first_not_of('\n'));
  if (clean.empty()) return;
  Begin();
  Lines(clean);
}

void MarkdownWriter::Begin(bool item, bool empty) {
  // An empty item directly after a line of text would be read as a part of it.
  const bool close = item && !empty && after_item_;
  if (!text_.empty() && containers_.back().begun && !close) Line("");
  after_item_ = item;
}

void MarkdownWriter::Lines(std::string_view text) {
  for (const auto& line : absl::StrSplit(ToAbsl(text), '\n')) Line(FromAbsl(line));
}

void MarkdownWriter::Line(std::string_view text) {
  const size_t begin = text_.size();
  for (Container& container : containers_) {
    text_ += container.begun ? container.rest : container.first;
    container.begun = true;
  }
  if (text.empty()) {
    while (text_.size() > begin && text_.back() == ' ') text_.pop_back();
  }
  absl::StrAppend(&text_, ToAbsl(text), "\n");
}

void MarkdownWriter::OpenContainer(int depth, std::string first, std::string rest) {
  while (containers_.size() > kMaxContainers) CloseContainers(containers_.back().depth);
  containers_.push_back({.depth = depth, .first = std::move(first), .rest = std::move(rest)});
}

void MarkdownWriter::CloseContainers(int depth) {
  while (containers_.back().depth >= depth) {
    if (!containers_.back().begun) Line("");
    containers_.pop_back();
  }
}

std::string MarkdownWriter::Finish() {
  CloseContainers(0);
  if (columns_.has_value()) {
    const std::string below = std::exchange(text_, std::move(head_));
    Json header = Json::array();
    for (const Column& column : *columns_) header.push_back(column.name);
    Table(header, rows_);
    if (!below.empty()) absl::StrAppend(&text_, "\n", below);
  }
  return std::move(text_);
}

}  // namespace toolgate::interchange::markdown
