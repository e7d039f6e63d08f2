#include "executors/artifacts/checks/mermaid/mermaid_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/edit_distance.h"
#include "common/text/words.h"
#include "executors/artifacts/checks/html/html_check.h"
#include "executors/artifacts/checks/mermaid/diagram_kind.h"
#include "executors/artifacts/checks/mermaid/flowchart.h"
#include "executors/artifacts/checks/url.h"

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

// Settings that only the page may choose.
constexpr std::array<std::string_view, 7> kPageSettings = {
    "securityLevel", "secure", "dompurifyConfig", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering"};
constexpr std::array<std::string_view, 5> kDirections = {"TB", "TD", "BT", "RL", "LR"};
constexpr std::array<std::string_view, 8> kSequenceBlocks = {"loop",     "alt",   "opt",  "par",
                                                             "critical", "break", "rect", "box"};
constexpr std::array<std::string_view, 3> kSequenceBranches = {"else", "and", "option"};
// Statements of sequence diagrams that are no messages, though names in them may look like arrows.
constexpr std::array<std::string_view, 15> kSequenceStatements = {
    "participant", "actor", "create", "destroy", "activate", "deactivate", "note",    "Note",
    "autonumber",  "title", "link",   "links",   "details",  "properties", "accTitle"};
// Arrows of sequence diagrams, the longer one first.
constexpr std::array<std::string_view, 12> kMessages = {"<<-->>", "<<->>", "-->>", "->>", "--x", "-x",
                                                        "--)",    "-)",    "-->",  "->",  "--|", "-|"};

std::string_view FirstWord(std::string_view line) { return line.substr(0, line.find_first_of(" \t\r:;")); }

class MermaidReader {
 public:
  explicit MermaidReader(std::string_view source) : source_(source), problems_(source), flowchart_(source, problems_) {}

  std::vector<Problem> Read() && {
    CheckHtml();
    size_t at = SkipFrontMatter();
    while (at < source_.size()) at = ReadLine(at);
    Finish();
    return problems_.Take();
  }

 private:
  // Tags in labels. Mermaid itself lets only formatting through, so others are no danger and often no tags at all.
  void CheckHtml() {
    for (const Problem& problem : html::CheckEmbedded(source_)) {
      if (problem.rule != "script-element" && problem.rule != "event-handler" && problem.rule != "script-url") continue;
      problems_.Unsafe(OffsetOfLine(problem.line), problem.rule, problem.message);
    }
  }

  size_t OffsetOfLine(int line) const {
    size_t offset = 0;
    for (int i = 1; i < line; ++i) offset = std::min(source_.find('\n', offset), source_.size() - 1) + 1;
    return offset;
  }

  size_t SkipFrontMatter() {
    const size_t start = source_.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || source_.substr(start, 4) != "---\n") return 0;
    const size_t end = source_.find("\n---", start + 3);
    if (end == std::string_view::npos) {
      problems_.Error(start, "unclosed-front-matter", "the front matter needs a second line ---");
      return source_.size();
    }
    CheckSettings(start, end);
    return std::min(source_.find('\n', end + 1), source_.size() - 1) + 1;
  }

  // In front matter or a directive.
  void CheckSettings(size_t begin, size_t end) {
    const std::string_view text = source_.substr(begin, end - begin);
    for (const std::string_view setting : kPageSettings) {
      for (size_t at = text.find(setting); at != std::string_view::npos; at = text.find(setting, at + 1)) {
        const size_t after = at + setting.size();
        const bool is_word = (at == 0 || !absl::ascii_isalnum(static_cast<unsigned char>(text[at - 1]))) &&
                             (after == text.size() || !absl::ascii_isalnum(static_cast<unsigned char>(text[after])));
        if (is_word) {
          problems_.Unsafe(begin + at, "page-setting",
                           absl::StrCat("only the page may set ", ToAbsl(setting), "; remove it"));
        }
      }
    }
  }

  // Returns where the next line begins.
  size_t ReadLine(size_t begin) {
    size_t end = std::min(source_.find('\n', begin), source_.size());
    while (begin < end && absl::ascii_isspace(static_cast<unsigned char>(source_[begin]))) ++begin;
    const std::string_view line = text::Trim(source_.substr(begin, end - begin));
    if (line.empty()) return end + 1;
    if (absl::StartsWith(ToAbsl(line), "%%{")) return ReadDirective(begin);
    if (absl::StartsWith(ToAbsl(line), "%%")) return end + 1;
    CheckLinks(line, begin);
    if (kind_ == nullptr) {
      if (!unknown_) ReadHeader(line, begin);
      return end + 1;
    }
    ++statements_;
    if (kind_->grammar == Grammar::kFlowchart) {
      end = flowchart_.CheckStatement(begin, begin + line.size());
      return std::min(source_.find('\n', end), source_.size()) + 1;
    }
    if (kind_->grammar == Grammar::kSequence) CheckSequenceLine(line, begin);
    if (kind_->grammar == Grammar::kBraces) CheckBraces(line, begin);
    if (kind_->quotes && std::count(line.begin(), line.end(), '"') % 2 != 0) {
      problems_.Error(begin, "unterminated-label", "the line has a \" without its partner");
    }
    return end + 1;
  }

  size_t ReadDirective(size_t begin) {
    const size_t end = source_.find("}%%", begin);
    if (end == std::string_view::npos) {
      problems_.Error(begin, "unclosed-directive", "the directive needs a }%% at its end");
      return source_.size();
    }
    CheckSettings(begin, end);
    return std::min(source_.find('\n', end), source_.size()) + 1;
  }

  void ReadHeader(std::string_view line, size_t begin) {
    const std::string_view word = FirstWord(line);
    kind_ = FindDiagramKind(word);
    header_ = begin;
    if (kind_ == nullptr) {
      unknown_ = true;
      const std::string_view nearest = text::NearestName(word, DiagramKeywords());
      problems_.Error(begin, "unknown-diagram",
                      absl::StrCat(Quoted(word), " is no kind of diagram",
                                   nearest.empty() ? "; begin with flowchart TD, sequenceDiagram or another kind"
                                                   : absl::StrCat("; did you mean ", ToAbsl(nearest), "?")));
      return;
    }
    const std::string_view rest = text::Trim(line.substr(word.size()));
    if (kind_->grammar != Grammar::kFlowchart || rest.empty()) {
      if (kind_->grammar == Grammar::kText && !rest.empty()) ++statements_;  // "pie title …", "gitGraph LR:".
      return;
    }
    const std::string_view direction = FirstWord(rest);
    if (!direction.empty() && !text::IsOneOf(direction, kDirections)) {
      problems_.Error(begin, "bad-direction",
                      absl::StrCat(Quoted(direction), " is no direction; use TB, TD, BT, RL or LR"));
    }
    const size_t statement = rest.find(';');
    if (statement != std::string_view::npos && !text::Trim(rest.substr(statement + 1)).empty()) ++statements_;
  }

  // Addresses in statements that make links.
  void CheckLinks(std::string_view line, size_t begin) {
    const std::string_view word = FirstWord(line);
    const bool links = word == "click" || word == "link" || word == "links" || word == "href" || word == "callback";
    for (size_t at = 0; at < line.size();) {
      const size_t end = std::min(line.find_first_of(links ? "\"' \t,{}" : "\"", at), line.size());
      if (ReadUrl(line.substr(at, end - at)).kind == UrlKind::kScript) {
        problems_.Unsafe(begin + at, "script-url", "the address runs a script; remove it");
      }
      at = end + 1;
    }
    if (word == "callback" || (word == "click" && absl::StrContains(ToAbsl(line), " call "))) {
      problems_.Warn(begin, "callback", "callbacks do nothing where the page does not trust the diagram");
    }
  }

  void CheckSequenceLine(std::string_view line, size_t begin) {
    const std::string_view word = FirstWord(line);
    if (text::IsOneOf(word, kSequenceBlocks)) {
      blocks_.push_back(begin);
    } else if (word == "end") {
      if (blocks_.empty()) {
        problems_.Error(begin, "unexpected-end", "there is no block that this \"end\" would close");
      } else {
        blocks_.pop_back();
      }
    } else if (text::IsOneOf(word, kSequenceBranches)) {
      if (blocks_.empty()) problems_.Error(begin, "unexpected-branch", absl::StrCat("no block for ", Quoted(word)));
    } else if (!text::IsOneOf(word, kSequenceStatements)) {
      CheckMessage(line, begin);
    }
  }

  void CheckMessage(std::string_view line, size_t begin) {
    const size_t colon = line.find(':');
    const std::string_view head = line.substr(0, colon);
    for (const std::string_view arrow : kMessages) {
      const size_t at = head.find(arrow);
      if (at == std::string_view::npos) continue;
      const std::string_view to = text::Trim(head.substr(at + arrow.size()));
      if (text::Trim(head.substr(0, at)).empty() || to.find_first_not_of("+- ") == std::string_view::npos) {
        problems_.Error(begin, "dangling-arrow", "a message needs a participant on both sides of its arrow");
      } else if (colon == std::string_view::npos) {
        problems_.Error(begin, "no-message", "a message needs a colon and a text: A->>B: text");
      }
      return;
    }
  }

  // Braces at the end of a line open a block, and close it on a line of their own.
  void CheckBraces(std::string_view line, size_t begin) {
    if (line.back() == '{') {
      blocks_.push_back(begin);
    } else if (line.front() == '}') {
      if (blocks_.empty()) {
        problems_.Error(begin, "unexpected-end", "there is no block that this } would close");
      } else {
        blocks_.pop_back();
      }
    }
  }

  void Finish() {
    if (kind_ == nullptr) {
      if (!unknown_) problems_.Error(0, "empty-diagram", "the diagram is empty");
      return;
    }
    if (statements_ == 0 && kind_->keyword != "info") {
      problems_.Error(header_, "empty-diagram", "the diagram has a kind and nothing in it");
    }
    flowchart_.Finish();
    if (!blocks_.empty()) problems_.Error(blocks_.back(), "unclosed-block", "the block has no end");
  }

  const std::string_view source_;
  Problems problems_;
  FlowchartCheck flowchart_;
  const DiagramKind* kind_ = nullptr;
  bool unknown_ = false;
  size_t header_ = 0;
  int statements_ = 0;
  std::vector<size_t> blocks_;
};

}  // namespace

std::vector<Problem> CheckMermaid(std::string_view source) {
  if (source.size() > kMaxBytes) {
    Problems problems(source);
    problems.Unsafe(0, "too-large", absl::StrCat("the diagram is longer than ", kMaxBytes, " bytes"));
    return problems.Take();
  }
  return MermaidReader(source).Read();
}

}  // namespace toolgate::executors::artifacts::checks::mermaid
