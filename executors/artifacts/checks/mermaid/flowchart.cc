#include "executors/artifacts/checks/mermaid/flowchart.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

constexpr std::string_view kArrowCharacters = "-=.<>~xo";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }

std::string_view FirstToken(std::string_view line) { return line.substr(0, line.find_first_of(" \t\r")); }

// Statements without nodes.
constexpr std::array<std::string_view, 9> kOtherStatements = {"style",    "classDef",  "linkStyle", "class",    "click",
                                                              "accTitle", "accTitle:", "accDescr",  "accDescr:"};

}  // namespace

const FlowchartCheck::Shape* FlowchartCheck::ShapeAt(size_t at) const {
  // The longer one first.
  static constexpr Shape kShapes[] = {{"(((", ")))"}, {"([", "])"}, {"((", "))"},        {"[[", "]]"},
                                      {"[(", ")]"},   {"{{", "}}"}, {"[/", "/]", "\\]"}, {"[\\", "\\]", "/]"},
                                      {"[", "]"},     {"(", ")"},   {"{", "}"}};
  for (const Shape& shape : kShapes) {
    if (source_.substr(at, shape.open.size()) == shape.open) return &shape;
  }
  static constexpr Shape kFlag = {">", "]"};
  const bool is_flag = source_[at] == '>' && at > 0 && IsWord(source_[at - 1]) && at + 1 < source_.size() &&
                       source_[at - 1] != 'x' && source_[at - 1] != 'o';
  return is_flag ? &kFlag : nullptr;
}

size_t FlowchartCheck::EndOfString(size_t at) const { return source_.find('"', at + 1); }

size_t FlowchartCheck::ReadShape(const Shape& shape, size_t at, size_t line_end) {
  size_t label = at + shape.open.size();
  while (label < line_end && IsBlank(source_[label])) ++label;
  if (label < line_end && source_[label] == '"') {
    const size_t end = EndOfString(label);
    if (end == std::string_view::npos) {
      problems_.Error(label, "unterminated-label", "the label's quotes are not closed");
      return source_.size();
    }
    size_t after = end + 1;
    while (after < source_.size() && IsBlank(source_[after])) ++after;
    if (source_.substr(after, shape.close.size()) == shape.close) return after + shape.close.size();
    if (!shape.other_close.empty() && source_.substr(after, 2) == shape.other_close) return after + 2;
    problems_.Error(at, "unclosed-shape",
                    absl::StrCat("the node opens with ", Quoted(shape.open), " and needs ", Quoted(shape.close),
                                 " after its label"));
    return after;
  }
  const size_t end = std::min(source_.substr(0, line_end).find_first_of("()[]{}\"", label), line_end);
  size_t close = end;
  if (!shape.other_close.empty() && close > label && end < line_end && source_[end] == ']') --close;
  if (close < line_end && (source_.substr(close, shape.close.size()) == shape.close ||
                           (!shape.other_close.empty() && source_.substr(close, 2) == shape.other_close))) {
    return close + shape.close.size();
  }
  if (end == line_end) {
    problems_.Error(at, "unclosed-shape",
                    absl::StrCat("the node opens with ", Quoted(shape.open), " and has no ", Quoted(shape.close)));
  } else {
    problems_.Error(at, "unquoted-label",
                    absl::StrCat("put the label into quotes, since it has ", Quoted(source_.substr(end, 1)),
                                 " in it: ", ToAbsl(shape.open), "\"…\"", ToAbsl(shape.close)));
  }
  return line_end;
}

// After "@{".
size_t FlowchartCheck::ReadProperties(size_t at) {
  for (size_t i = at + 2; i < source_.size(); ++i) {
    if (source_[i] == '}') return i + 1;
    if (source_[i] != '"') continue;
    const size_t end = EndOfString(i);
    if (end == std::string_view::npos) break;
    i = end;
  }
  problems_.Error(at, "unclosed-shape", "the node's properties need a } at their end");
  return source_.size();
}

size_t FlowchartCheck::ReadArrow(size_t at, size_t line_end) {
  size_t end = at;
  while (end < line_end && kArrowCharacters.find(source_[end]) != std::string_view::npos) ++end;
  // "x" and "o" are heads only where a word does not begin.
  while (end > at && IsWord(source_[end - 1]) && end < line_end && IsWord(source_[end])) --end;
  const std::string_view arrow = source_.substr(at, end - at);
  if (arrow == "->" || arrow == "=>") {
    problems_.Error(at, "bad-arrow", absl::StrCat("a flowchart has no ", Quoted(arrow), "; write --> or ==>"));
    return end;
  }
  const bool opens_text = (arrow == "--" || arrow == "==" || arrow == "-.") && end < line_end && IsBlank(source_[end]);
  if (!opens_text) return std::max(end, at + 1);
  const size_t text_end = source_.substr(0, line_end).find(arrow == "-." ? ".-" : arrow, end);
  if (text_end == std::string_view::npos) {
    problems_.Error(at, "bad-arrow",
                    absl::StrCat("the arrow's text has no end: A ", ToAbsl(arrow), " text ",
                                 arrow == "-."   ? ".->"
                                 : arrow == "--" ? "-->"
                                                 : "==>",
                                 " B"));
    return line_end;
  }
  end = text_end;
  while (end < line_end && kArrowCharacters.find(source_[end]) != std::string_view::npos && !IsWord(source_[end]))
    ++end;
  return end;
}

bool FlowchartCheck::IsKeywordLine(std::string_view line, size_t begin) {
  const std::string_view word = FirstToken(line);
  if (word == "subgraph") {
    ++subgraphs_;
    last_subgraph_ = begin;
    return true;
  }
  if (word == "end") {
    if (subgraphs_ == 0) problems_.Error(begin, "unexpected-end", "there is no subgraph that this \"end\" would close");
    subgraphs_ = std::max(0, subgraphs_ - 1);
    return true;
  }
  if (word == "direction") return true;
  return std::find(kOtherStatements.begin(), kOtherStatements.end(), word) != kOtherStatements.end();
}

size_t FlowchartCheck::ReadArrowLabel(size_t at, size_t line_end) {
  const size_t end = source_.substr(0, line_end).find('|', at + 1);
  if (end != std::string_view::npos) return end + 1;
  problems_.Error(at, "unclosed-label", "the arrow's label needs a second |");
  return line_end;
}

size_t FlowchartCheck::ReadQuotes(size_t at) {
  const size_t end = EndOfString(at);
  if (end != std::string_view::npos) return end + 1;
  problems_.Error(at, "unterminated-label", "the quotes are not closed");
  return source_.size();
}

bool FlowchartCheck::IsArrowAt(size_t at) const {
  if (std::string_view("-=~<").find(source_[at]) == std::string_view::npos) return false;
  // A hyphen between letters belongs to an id.
  const bool in_id =
      source_[at] == '-' && at > 0 && IsWord(source_[at - 1]) && at + 1 < source_.size() && IsWord(source_[at + 1]);
  return !in_id;
}

size_t FlowchartCheck::ReadPart(size_t at, size_t line_end) {
  const char c = source_[at];
  if (c == '|') return ReadArrowLabel(at, line_end);
  if (const Shape* const shape = ShapeAt(at); shape != nullptr) return ReadShape(*shape, at, line_end);
  if (source_.substr(at, 2) == "@{") return ReadProperties(at);
  if (c == '"') return ReadQuotes(at);
  if (c == ']' || c == ')' || c == '}') {
    problems_.Error(at, "unexpected-bracket",
                    absl::StrCat("no node that this ", Quoted(source_.substr(at, 1)), " would close"));
  }
  return at + 1;
}

size_t FlowchartCheck::CheckStatement(size_t begin, size_t line_end) {
  if (IsKeywordLine(source_.substr(begin, line_end - begin), begin)) return line_end;
  bool leads_nowhere = false;
  size_t at = begin;
  while (at < line_end) {
    const char c = source_[at];
    if (IsArrowAt(at)) {
      if (at == begin) problems_.Error(at, "dangling-arrow", "the arrow begins at no node");
      at = ReadArrow(at, line_end);
      leads_nowhere = true;
      continue;
    }
    if (!IsBlank(c) && c != ';' && c != '|') leads_nowhere = false;
    at = ReadPart(at, line_end);
    // A label may have spanned lines.
    if (at > line_end) line_end = std::min(source_.find('\n', at), source_.size());
  }
  if (leads_nowhere) problems_.Error(begin, "dangling-arrow", "the arrow leads to no node on its line");
  return at;
}

void FlowchartCheck::Finish() {
  if (subgraphs_ > 0) problems_.Error(last_subgraph_, "unclosed-block", "the subgraph has no \"end\"");
}

}  // namespace toolgate::executors::artifacts::checks::mermaid
