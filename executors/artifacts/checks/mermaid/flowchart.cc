#include "executors/artifacts/checks/mermaid/flowchart.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

// Mermaid draws no more, unless the page allows it.
constexpr int kMaxLinks = 500;
constexpr std::string_view kBrackets = "()[]{}|\"";

// Words that Mermaid's lexer takes for itself where a name begins.
constexpr std::string_view kRefusedNames[] = {"end",   "style",     "linkStyle", "classDef",    "class",
                                              "graph", "flowchart", "click",     "interpolate", "subgraph",
                                              "_self", "_blank",    "_parent",   "_top"};
// Whether these are names depends on what comes after them.
constexpr std::string_view kDoubtfulNames[] = {"default", "href", "call", "accTitle", "accDescr", "direction"};

constexpr std::string_view kShapes[] = {
    "rect",     "rounded",  "stadium",   "fr-rect",  "cyl",        "circle",     "odd",          "diam",     "hex",
    "lean-r",   "lean-l",   "trap-b",    "trap-t",   "dbl-circ",   "text",       "sm-circ",      "fr-circ",  "fork",
    "brace",    "braces",   "bolt",      "doc",      "delay",      "h-cyl",      "lin-cyl",      "div-rect", "tri",
    "win-pane", "f-circ",   "lin-doc",   "flip-tri", "sl-rect",    "docs",       "st-rect",      "flag",     "tag-doc",
    "tag-rect", "bow-rect", "hourglass", "database", "cross-circ", "decision",   "diamond",      "hexagon",  "process",
    "event",    "terminal", "cylinder",  "document", "subroutine", "subprocess", "manual-input", "start",    "stop"};

#define TOOLGATE_PATTERN(name, pattern)                  \
  const RE2& name() {                                    \
    static const RE2* const kPattern = new RE2(pattern); \
    return *kPattern;                                    \
  }

TOOLGATE_PATTERN(Header, R"((?:graph|flowchart)(?:[ \t]+(?:TB|TD|BT|RL|LR))?(?:[ \t]*\n|;))")
TOOLGATE_PATTERN(PlainHeader, R"((?:graph|flowchart)[ \t]*;)")
TOOLGATE_PATTERN(HeaderDirection, R"((?:graph|flowchart)[ \t]+([A-Za-z]+)(?:[ \t]*\n|;))")
TOOLGATE_PATTERN(Space, R"([ \t]*)")
TOOLGATE_PATTERN(Gap, R"([ \t\n;]*)")
TOOLGATE_PATTERN(And, R"([ \t]+&[ \t]+)")
TOOLGATE_PATTERN(StatementEnd, R"([ \t]*[;\n])")
// Letters beyond ASCII in scripts that Mermaid knows.
TOOLGATE_PATTERN(Name,
                 R"(((?:\w|[\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{24F}\x{391}-\x{3A1}\x{3A3}-\x{3CE}\x{401}-\x{44F}\x)"
                 R"({3041}-\x{3096}\x{30A1}-\x{30FA}\x{4E00}-\x{9FCC}\x{AC00}-\x{D7A3}])+(?:[.-]\w+)*))")
TOOLGATE_PATTERN(ClassMark, R"(:::(\w+))")
TOOLGATE_PATTERN(Properties,
                 R"(@\{[ \t]*(?:(?:label|animate|animation|curve|shape)[ \t]*:[ \t]*(?:"[^"\\%#]*"|[a-z][a-z-]*)(?:)"
                 R"([ \t]*,[ \t]*)?)+[ \t]*\})")
TOOLGATE_PATTERN(PropertiesShape, R"(shape[ \t]*:[ \t]*"?([\w-]*))")
TOOLGATE_PATTERN(LinkName, R"([ \t]+([A-Za-z]\w*)@)")
TOOLGATE_PATTERN(Link,
                 R"(\s*(?:<?-{2,}>|<?={2,}>|<?-\.+->|-{3,}|={3,}|-\.+-|~{3,}|[ \t][xo]--+[xo]|[ \t][xo]==+[xo]|--+[)"
                 R"(xo]|==+[xo]|-\.+-[xo]))")
TOOLGATE_PATTERN(TextLink,
                 R"(\s*(?:<?--(?:[ \t]*"[^"`]+"\s*|(?:[ \t]+[^-"~\s]|[A-Za-np-wyz0-9])(?:[^-"~\n]|-[^-"~\n])*)(?:--)"
                 R"(+[>xo-])|<?==(?:[ \t]*"[^"`]+"\s*|(?:[ \t]+[^="~\s]|[A-Za-np-wyz0-9])[^="~\n]*)(?:==+[>xo=])|<?)"
                 R"(-\.(?:[ \t]*"[^"`]+"\s*|[ \t]+[^-."~\s][^-."~\n]*)(?:\.+->|\.+-)))")
TOOLGATE_PATTERN(OpenTextLink, R"(\s*<?(--|==|-\.)[ \t]+[^-=."~\s])")
TOOLGATE_PATTERN(WrongArrow, R"([ \t]*(->|=>)[ \t]*(?:\w|$))")
TOOLGATE_PATTERN(ArrowAhead, R"((?s).*(?:--+[-xo>]|==+[=xo>]|\.-))")

TOOLGATE_PATTERN(SubgraphTitle,
                 R"(subgraph[ \t]((?:\w+(?:[ -]\w+)*|"[^"`]+")[ \t]*)(?:\[[ \t]*(?:[^()\[\]{}|"<>@~]*[^()\[\]{}|"<>)"
                 R"(@~\s][^()\[\]{}|"<>@~]*)\]|\["[^"`]+"\])?)")
TOOLGATE_PATTERN(WrongSubgraph, R"(subgraph[ \t][^"\[\](){}|]*(?:\[[^"\[\]]*[(){}|"\[][^"]*|[(){}].*))")
TOOLGATE_PATTERN(Direction, R"(direction[ \t]+(?:TB|TD|BT|RL|LR)[ \t]*)")
TOOLGATE_PATTERN(DirectionInside, R"(direction(?:\s+(?:TB|TD|BT|RL|LR)|\s*$))")
#define TOOLGATE_STYLE \
  R"([a-z]+(?:-[a-z]+)*:[ \t]*(?:#[0-9a-fA-F]{3,8}|[\d.]+(?:px|em|rem|pt|%)?|[a-z]+)(?:[ \t](?:\d+(?:px)?|[a-z]+))*)"
#define TOOLGATE_STYLES TOOLGATE_STYLE "(?:," TOOLGATE_STYLE ")*[ \t]*;?"
#define TOOLGATE_NAMES R"((\w+(?:,\w+)*))"
TOOLGATE_PATTERN(Style, "style[ \t]" TOOLGATE_NAMES "[ \t]" TOOLGATE_STYLES)
TOOLGATE_PATTERN(ClassDef, "classDef[ \t]" TOOLGATE_NAMES "[ \t]" TOOLGATE_STYLES)
TOOLGATE_PATTERN(LinkStyle, R"(linkStyle[ \t](default|\d+(?:,\d+)*)[ \t])" TOOLGATE_STYLE "(?:," TOOLGATE_STYLE ")*")
TOOLGATE_PATTERN(Class, R"(class[ \t](\w+(?:,\w+)*)[ \t](\w+);?)")
TOOLGATE_PATTERN(Click,
                 R"(click[ \t]+(\w+)[ \t](?:(?:href[ \t])?"[^"]+"(?:[ \t]"[^"]+")?(?:[ \t]_(?:self|blank|parent|top)"
                 R"re())?|call[ \t]+\w+\([^()"]*\)(?:[ \t]"[^"]+")?|[a-zA-Z]\w*(?:[ \t]"[^"]+")?);?)re")
TOOLGATE_PATTERN(Accessible, R"((?:accTitle|accDescr)[ \t]*:[ \t]*[^\s;#%][^%]*)")
TOOLGATE_PATTERN(WrongStyle, R"([:\s,](?:end|default|class|click|graph|style|subgraph|interpolate|v)(?:\W|$))")

std::string_view NameRun(std::string_view text) {
  const auto* const end =
      std::find_if_not(text.begin(), text.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
  return text.substr(0, end - text.begin());
}

// The part of a name that Mermaid's lexer compares with its keywords: digits before it are a token of their own.
std::string_view KeywordPart(std::string_view name) {
  return NameRun(name.substr(std::min(name.find_first_not_of("0123456789"), name.size())));
}

// ASCII after other letters begins a token too.
bool HasHiddenKeyword(std::string_view name) {
  for (size_t i = 1; i < name.size(); ++i) {
    if ((name[i - 1] & 0x80) == 0 || (name[i] & 0x80) != 0) continue;
    const std::string_view word = KeywordPart(name.substr(i));
    if (text::IsOneOf(word, kRefusedNames) || text::IsOneOf(word, kDoubtfulNames) || word == "x" || word == "o") {
      return true;
    }
  }
  return false;
}

}  // namespace

struct FlowchartCheck::Shape {
  std::string_view open;
  std::string_view close;
};

const FlowchartCheck::Shape* FlowchartCheck::ShapeHere() const {
  // The longer one first.
  static constexpr Shape kAll[] = {{"(((", ")))"}, {"([", "])"}, {"((", "))"}, {"[[", "]]"}, {"[(", ")]"},
                                   {"{{", "}}"},   {"[/", ""},   {"[\\", ""},  {"(-", ""},   {"[|", ""},
                                   {"[", "]"},     {"(", ")"},   {"{", "}"},   {">", "]"}};
  for (const Shape& shape : kAll) {
    if (rest().substr(0, shape.open.size()) == shape.open) return &shape;
  }
  return nullptr;
}

bool FlowchartCheck::Eat(const RE2& pattern, std::string_view* group) {
  const std::string_view before = rest();
  re2::StringPiece left(before.data(), before.size());
  re2::StringPiece found;
  const bool matches = group == nullptr ? RE2::Consume(&left, pattern) : RE2::Consume(&left, pattern, &found);
  if (!matches) return false;
  if (group != nullptr) *group = std::string_view(found.data(), found.size());
  at_ += before.size() - left.size();
  return true;
}

FlowchartCheck::Part FlowchartCheck::Error(size_t at, std::string_view rule, std::string message) {
  findings_.Error(at, rule, std::move(message));
  return Part::kFailed;
}

FlowchartCheck::Part FlowchartCheck::Unknown(size_t at, std::string message) {
  findings_.Unknown(at, std::move(message));
  return Part::kFailed;
}

void FlowchartCheck::Read(size_t begin) {
  at_ = begin;
  if (!ReadHeader()) at_ = std::min(text_.find('\n', at_), text_.size());
  while (Eat(Gap()) && at_ < text_.size()) ReadStatement();
  if (!findings_.all_known()) return;
  if (!subgraphs_.empty()) Error(subgraphs_.back(), "unclosed-block", "the subgraph has no \"end\"");
  if (links_ > kMaxLinks) {
    Error(begin, "too-many-links", absl::StrCat("Mermaid draws at most ", kMaxLinks, " links, and these are ", links_));
  }
}

bool FlowchartCheck::ReadHeader() {
  const size_t begin = at_;
  const bool doubtful = RE2::FullMatch(rest().substr(0, rest().find(';') + 1), PlainHeader());
  if (!doubtful && Eat(Header())) return true;
  std::string_view direction;
  if (!doubtful && Eat(HeaderDirection(), &direction) && direction != "BR" && direction != "v") {
    Error(begin, "bad-direction", absl::StrCat(Quoted(direction), " is no direction; use TB, TD, BT, RL or LR"));
    --at_;
  } else {
    at_ = begin;
    Unknown(begin, "the first line has more in it than the check knows");
  }
  return false;
}

void FlowchartCheck::ReadStatement() {
  const bool is_new_line = at_ >= line_end_;
  if (is_new_line) line_end_ = std::min(text_.find('\n', at_), text_.size());
  const std::string_view line = text_.substr(at_, line_end_ - at_);
  if (is_new_line && RE2::PartialMatch(line, DirectionInside()) && !RE2::FullMatch(line, Direction())) {
    Unknown(at_, "Mermaid takes a line with \"direction\" in it for a statement of its own");
    at_ = line_end_;
    return;
  }
  if (ReadKeywordLine(line)) {
    at_ = line_end_;
    return;
  }
  if (ReadChain() == Part::kRead) return;
  // A text or a link that is not known or not closed may go on over the lines to come.
  at_ = findings_.all_known() && !is_open_ ? std::min(text_.find('\n', at_), text_.size()) : text_.size();
}

bool FlowchartCheck::ReadKeywordLine(std::string_view line) {
  const std::string_view word = NameRun(line);
  if (word == "subgraph") {
    ReadSubgraph(line);
  } else if (word == "end") {
    ReadEnd(line);
  } else if (word == "direction" && RE2::FullMatch(line, Direction())) {
    return true;
  } else if (word == "accTitle" || word == "accDescr") {
    if (!RE2::FullMatch(line, Accessible())) Unknown(at_, "the check does not know this form of a description");
  } else {
    return ReadStyleLine(word, line);
  }
  return true;
}

bool FlowchartCheck::ReadStyleLine(std::string_view word, std::string_view line) {
  const auto are_plain = [&](std::string_view names) {
    if (word == "classDef" && names == "default") return true;
    for (const absl::string_view name : absl::StrSplit(ToAbsl(names), ',')) {
      const std::string_view keyword = KeywordPart(FromAbsl(name));
      if (text::IsOneOf(keyword, kRefusedNames) || text::IsOneOf(keyword, kDoubtfulNames)) return false;
    }
    return true;
  };
  const auto fits = [&](const RE2& pattern) {
    re2::StringPiece names;
    re2::StringPiece class_name;
    const bool has_two = pattern.NumberOfCapturingGroups() == 2;
    return (has_two ? RE2::FullMatch(line, pattern, &names, &class_name) : RE2::FullMatch(line, pattern, &names)) &&
           are_plain(names) && are_plain(class_name);
  };
  if (word == "linkStyle") {
    re2::StringPiece numbers;
    if (!RE2::FullMatch(line, LinkStyle(), &numbers)) {
      Unknown(at_, "the check does not know this style of a link");
    } else if (numbers.find(',') == re2::StringPiece::npos && numbers != "default" && findings_.all_known()) {
      int number = 0;
      if (absl::SimpleAtoi(numbers.as_string(), &number) && number >= links_) {
        Error(at_, "no-such-link", absl::StrCat("there are ", links_, " links before this line, numbered from 0"));
      }
    } else if (numbers != "default") {
      Unknown(at_, "the check does not count these links");
    }
    return true;
  }
  const bool is_style = word == "style" || word == "classDef";
  if (!is_style && word != "class" && word != "click") return false;
  const bool known = word == "style"      ? fits(Style())
                     : word == "classDef" ? fits(ClassDef())
                     : word == "class"    ? fits(Class())
                                          : fits(Click());
  const size_t styles = is_style ? std::min(line.find(' ', word.size() + 1), line.size()) : line.size();
  if (!known || RE2::PartialMatch(line.substr(styles), WrongStyle())) {
    Unknown(at_, absl::StrCat("the check does not know this form of \"", ToAbsl(word), "\""));
  }
  return true;
}

void FlowchartCheck::ReadSubgraph(std::string_view line) {
  subgraphs_.push_back(at_);
  re2::StringPiece title;
  if (line == "subgraph" || RE2::FullMatch(line, SubgraphTitle(), &title)) {
    // Keywords in a title that is not in quotes.
    size_t at = 0;
    const std::string_view words(title.data() == nullptr ? "" : title.data(), title.size());
    if (words.substr(0, 1) == "\"") return;
    while (at < words.size()) {
      const std::string_view word = NameRun(words.substr(at));
      const std::string_view keyword = KeywordPart(word);
      if (text::IsOneOf(keyword, kRefusedNames) || text::IsOneOf(keyword, kDoubtfulNames) || keyword == "x" ||
          keyword == "o" || keyword == "v") {
        Unknown(subgraphs_.back(), "the title has a word in it that Mermaid may take for its own; put it into quotes");
        return;
      }
      at += word.size() + 1;
    }
    return;
  }
  if (RE2::FullMatch(line, WrongSubgraph())) {
    Error(at_, "unquoted-label", "put the title into quotes, since it has brackets in it: subgraph id[\"title (x)\"]");
    return;
  }
  Unknown(at_, "the check does not know this form of a subgraph");
}

void FlowchartCheck::ReadEnd(std::string_view line) {
  const std::string_view after = text::Trim(line.substr(3));
  if (!after.empty() && after.front() != ';') {
    if (RE2::PartialMatch(after, R"(^(?:--|==|-\.|[\[({]))")) {
      Error(at_, "reserved-word", "\"end\" is no name for a node; write End or another name");
    } else {
      Unknown(at_, "the check does not know this statement");
    }
    return;
  }
  if (!after.empty()) Unknown(at_, "the check does not read on after \"end;\"");
  if (!subgraphs_.empty()) {
    subgraphs_.pop_back();
  } else if (findings_.all_known()) {
    Error(at_, "unexpected-end", "there is no subgraph that this \"end\" would close");
  }
}

FlowchartCheck::Part FlowchartCheck::ReadChain() {
  int sources = 0;
  if (ReadNodes(sources) == Part::kFailed) return Part::kFailed;
  while (true) {
    const size_t before = at_;
    if (ReadLink() == Part::kFailed) return Part::kFailed;
    if (at_ == before) break;
    int targets = 0;
    if (ReadNodes(targets) == Part::kFailed) return Part::kFailed;
    links_ += sources * targets;
    sources = targets;
  }
  if (after_properties_ ? next() == '\n' || next() == ';' : Eat(StatementEnd())) return Part::kRead;
  return FailAtLink();
}

FlowchartCheck::Part FlowchartCheck::ReadNodes(int& count) {
  do {
    if (ReadNode() == Part::kFailed) return Part::kFailed;
    ++count;
  } while (Eat(And()));
  return Part::kRead;
}

FlowchartCheck::Part FlowchartCheck::ReadNode() {
  const size_t begin = at_;
  after_properties_ = false;
  std::string_view name;
  if (!Eat(Name(), &name)) return FailAtNode(links_ > 0 || begin > 0);
  const std::string_view keyword = KeywordPart(name);
  if (text::IsOneOf(keyword, kRefusedNames)) {
    const bool surely = keyword == name && (keyword != "click" || next() == ' ' || next() == '\n');
    if (!surely) return Unknown(begin, "the name begins with a word that Mermaid may take for its own");
    return Error(begin, "reserved-word", absl::StrCat(Quoted(name), " is no name for a node, since Mermaid has it"));
  }
  if (text::IsOneOf(keyword, kDoubtfulNames) || HasHiddenKeyword(name)) {
    return Unknown(begin, "the name has a word in it that Mermaid may take for its own");
  }
  if ((name == "x" || name == "o") && (next() == '-' || next() == '=')) {
    return Unknown(begin, "Mermaid may take this letter for the end of an arrow; put a blank after it");
  }
  if (const Shape* const shape = ShapeHere(); shape != nullptr && ReadShape(*shape) == Part::kFailed) {
    return Part::kFailed;
  }
  std::string_view class_name;
  if (Eat(ClassMark(), &class_name) && (text::IsOneOf(KeywordPart(class_name), kRefusedNames) ||
                                        text::IsOneOf(KeywordPart(class_name), kDoubtfulNames))) {
    return Unknown(begin, "Mermaid may take the name of the class for its own");
  }
  if (rest().substr(0, 2) == "@{") return ReadProperties();
  return Part::kRead;
}

FlowchartCheck::Part FlowchartCheck::ReadShape(const Shape& shape) {
  const size_t open = at_;
  if (shape.open == "[/" || shape.open == "[\\") return ReadSlantedLabel(open);
  if (shape.close.empty()) return Unknown(open, "the check does not know this shape");
  const size_t label = open + shape.open.size();
  const Part part = text_.substr(label, 1) == "\"" ? ReadQuotedLabel(label, shape.close, "")
                                                   : ReadPlainLabel(open, label, shape.close);
  if (part == Part::kFailed || shape.open != ">" || text_[open - 1] != '-') return part;
  return Unknown(open, "the check does not know this shape");
}

FlowchartCheck::Part FlowchartCheck::ReadQuotedLabel(size_t label, std::string_view close,
                                                     std::string_view other_close) {
  const size_t end = text_.find('"', label + 1);
  is_open_ = end == std::string_view::npos;
  if (is_open_) return Error(label, "unterminated-label", "the label's quotes are not closed");
  if (end == label + 1 && text_.substr(end + 1, close.size()) == close) {
    return Error(label, "empty-label", "the label is empty; write a text into it");
  }
  if (end == label + 1) return Unknown(label, "the label goes on after empty quotes");
  const std::string_view content = text_.substr(label + 1, end - label - 1);
  if (content.front() == '`' && (content.size() < 3 || content.find('`', 1) != content.size() - 1)) {
    return Unknown(label, "the check does not know this form of a label in Markdown");
  }
  const size_t after = end + 1;
  if (text_.substr(after, close.size()) == close) {
    at_ = after + close.size();
    return Part::kRead;
  }
  if (!other_close.empty() && text_.substr(after, other_close.size()) == other_close) {
    at_ = after + other_close.size();
    return Part::kRead;
  }
  if (kBrackets.find(after < text_.size() ? text_[after] : '\n') == std::string_view::npos) {
    return Unknown(after, "the label goes on after its quotes");
  }
  return Error(label, "unclosed-shape", absl::StrCat("the label needs ", Quoted(close), " after its quotes"));
}

FlowchartCheck::Part FlowchartCheck::ReadPlainLabel(size_t open, size_t label, std::string_view close) {
  const std::string_view opening = text_.substr(open, label - open);
  const size_t end = text_.find_first_of(kBrackets, label);
  is_open_ = end == std::string_view::npos;
  if (is_open_) {
    return Error(open, "unclosed-shape",
                 absl::StrCat("the label opens with ", Quoted(opening), " and has no ", Quoted(close)));
  }
  const std::string_view content = text_.substr(label, end - label);
  if (text_.substr(end, 2) == "\"\"") return Unknown(end, "the label has empty quotes in it");
  if (text_.substr(end, close.size()) != close) {
    // Without a bracket on its own line, what is missing is the end.
    if (content.find('\n') != std::string_view::npos) {
      return Error(open, "unclosed-shape",
                   absl::StrCat("the label opens with ", Quoted(opening), " and has no ", Quoted(close)));
    }
    return Error(end, "unquoted-label",
                 absl::StrCat("put the label into quotes, since it has ", Quoted(text_.substr(end, 1)),
                              " in it: ", ToAbsl(opening), "\"…\"", ToAbsl(close)));
  }
  if (content.empty()) return Error(open, "empty-label", "the label is empty; write a text into it");
  if (content.find_first_of("\n@~<>") != std::string_view::npos && content.find("<br") == std::string_view::npos) {
    return Unknown(label, "the label has characters in it that Mermaid may take for its own; put it into quotes");
  }
  if (content.find_first_of("\n@~") != std::string_view::npos || text::Trim(content).empty() ||
      content.front() == '/' || content.front() == '\\' || (opening == "(" && content.front() == '-')) {
    return Unknown(label, "the label has characters in it that Mermaid may take for its own; put it into quotes");
  }
  at_ = end + close.size();
  return Part::kRead;
}

FlowchartCheck::Part FlowchartCheck::ReadSlantedLabel(size_t open) {
  const size_t label = open + 2;
  if (text_.substr(label, 1) == "\"") return ReadQuotedLabel(label, "/]", "\\]");
  const size_t end = text_.find_first_of("()[]{}|\"/\\\n@~<>", label);
  if (end == std::string_view::npos || text::Trim(text_.substr(label, end - label)).empty() ||
      (text_.substr(end, 2) != "/]" && text_.substr(end, 2) != "\\]")) {
    return Unknown(open, "the check does not know this form of a slanted shape");
  }
  at_ = end + 2;
  return Part::kRead;
}

FlowchartCheck::Part FlowchartCheck::ReadProperties() {
  const size_t begin = at_;
  if (!Eat(Properties())) return Unknown(begin, "the check does not know these properties of a node");
  const std::string_view properties = text_.substr(begin, at_ - begin);
  re2::StringPiece shape;
  if (RE2::PartialMatch(properties, PropertiesShape(), &shape) &&
      !text::IsOneOf(std::string_view(shape.data(), shape.size()), kShapes)) {
    return Unknown(begin, "the check does not know this shape");
  }
  // One of each: the check does not look for a property that is there twice.
  if (std::count(properties.begin(), properties.end(), ':') > 2) {
    return Unknown(begin, "the check does not know so many properties of a node");
  }
  after_properties_ = true;
  return Part::kRead;
}

FlowchartCheck::Part FlowchartCheck::ReadLink() {
  std::string_view name;
  if (!after_properties_) Eat(LinkName(), &name);
  const bool has_text = !Eat(Link());
  if (has_text && !Eat(TextLink())) {
    return name.empty() ? Part::kRead : Unknown(at_, "the check does not know what this name belongs to");
  }
  const char last = text_[at_ - 1];
  const char after = next();
  const bool has_letter = last == 'x' || last == 'o';
  if (has_letter ? after != ' ' && after != '|' && after != '\n'
                 : (last == '-' || last == '=') && (after == 'x' || after == 'o' || after == '>')) {
    return Unknown(at_, "Mermaid may take this letter for the end of the arrow; put a blank before it");
  }
  while (next() == ' ' || next() == '\t' || next() == '\n') ++at_;
  after_properties_ = false;
  if (next() == '|' && has_text) return Unknown(at_, "the link has a text already");
  return next() == '|' ? ReadLinkText() : Part::kRead;
}

FlowchartCheck::Part FlowchartCheck::ReadLinkText() {
  const size_t open = at_;
  const Part part =
      text_.substr(open + 1, 1) == "\"" ? ReadQuotedLabel(open + 1, "|", "") : ReadPlainLabel(open, open + 1, "|");
  if (part == Part::kFailed) return part;
  if (next() == ' ' || next() == '\t') ++at_;
  if (next() == ' ' || next() == '\t') {
    return Error(at_, "too-many-blanks", "Mermaid takes one blank at most after the text of a link");
  }
  return Part::kRead;
}

FlowchartCheck::Part FlowchartCheck::FailAtNode(bool after_link) {
  if (after_link && rest().find_first_not_of(" \t\n") == std::string_view::npos) {
    return Error(at_, "dangling-arrow", "the arrow leads to no node");
  }
  return Unknown(at_, "the check does not know this statement, so Mermaid may or may not accept it");
}

// After a node, where neither a link nor an end is.
FlowchartCheck::Part FlowchartCheck::FailAtLink() {
  std::string_view arrow;
  const size_t begin = at_;
  if (Eat(WrongArrow(), &arrow)) {
    return Error(static_cast<size_t>(arrow.data() - text_.data()), "bad-arrow",
                 absl::StrCat("a flowchart has no ", Quoted(arrow), "; write --> or ==>"));
  }
  if (Eat(OpenTextLink(), &arrow) && !RE2::PartialMatch(rest(), ArrowAhead())) {
    is_open_ = true;
    return Error(begin, "bad-arrow", "the text of the arrow has no end: A -- text --> B");
  }
  at_ = begin;
  Eat(Space());
  const char c = text_.substr(at_, text_.find('\n', at_) - at_).find('@') == std::string_view::npos ? next() : '\0';
  if (at_ > begin && (c == '[' || c == '(' || c == '{')) {
    return Error(at_, "unexpected-bracket", "no blank belongs between a node's name and its label");
  }
  if (c == ']' || c == ')' || c == '}') {
    return Error(at_, "unexpected-bracket",
                 absl::StrCat("no node that this ", Quoted(rest().substr(0, 1)), " would close"));
  }
  return Unknown(at_, "the check does not know this statement, so Mermaid may or may not accept it");
}

}  // namespace toolgate::executors::artifacts::checks::mermaid
