#include "executors/artifacts/checks/mermaid/mermaid_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/edit_distance.h"
#include "common/text/utf8.h"
#include "common/text/words.h"
#include "executors/artifacts/checks/html/html_check.h"
#include "executors/artifacts/checks/mermaid/clean_text.h"
#include "executors/artifacts/checks/mermaid/diagram_kind.h"
#include "executors/artifacts/checks/mermaid/flowchart.h"
#include "executors/artifacts/checks/mermaid/front_matter.h"
#include "executors/artifacts/checks/mermaid/line_diagram.h"
#include "executors/artifacts/checks/url.h"
#include "re2/re2.h"

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

// Mermaid shows a message in place of a longer diagram, unless the page allows it.
constexpr size_t kMaxShownCharacters = 50'000;
constexpr std::string_view kDirectiveEnd = "}%%";
// Settings that only the page may choose.
constexpr std::array<std::string_view, 7> kPageSettings = {
    "securityLevel", "secure", "dompurifyConfig", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering"};
// Mermaid takes a diagram of another kind with one of these in it for one of theirs.
constexpr std::array<std::string_view, 4> kKindsAnywhere = {"C4Container", "C4Component", "C4Dynamic", "C4Deployment"};

std::string_view FirstWord(std::string_view line) { return line.substr(0, line.find_first_of(" \t\r:;")); }

// As Mermaid does first of all: attributes of HTML in labels get single quotes. The length stays.
std::string WithSingleQuotedAttributes(std::string_view source) {
  std::string text(source);
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    if (++at == text.size()) break;
    if (!absl::ascii_isalnum(static_cast<unsigned char>(text[at])) && text[at] != '_') continue;
    const size_t end = text.find('>', at);
    if (end == std::string::npos) break;
    for (size_t open = text.find("=\"", at); open < end; open = text.find("=\"", open)) {
      const size_t close = text.find('"', open + 2);
      if (close >= end) break;
      text[open + 1] = text[close] = '\'';
      open = close;
    }
    at = end;
  }
  return text;
}

// The kind whose keyword is followed by something other than a blank, which some lexers of Mermaid accept.
const DiagramKind* KindBefore(std::string_view header) {
  const auto* const end = std::find_if_not(header.begin(), header.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  });
  const std::string_view word = header.substr(0, end - header.begin());
  // Mermaid's lexer of this one does not look for the end of the word.
  constexpr std::string_view kNoEnd = "quadrantChart";
  if (word.substr(0, kNoEnd.size()) == kNoEnd) return FindDiagramKind(kNoEnd);
  const DiagramKind* const kind = FindDiagramKind(word);
  return kind != nullptr ? kind : FindDiagramKind(word.substr(0, word.find('-')));
}

// White space and control characters that lexers treat each in its own way.
std::optional<size_t> FindOddCharacter(std::string_view text) {
  static const RE2* const kOdd =
      new RE2(R"([\x{0}-\x{8}\x{B}\x{C}\x{E}-\x{1F}\x{7F}-\x{A0}\x{1680}\x{2000}-\x{200F}\x{2028}\x{2029}\x{202F)"
              R"(}\x{205F}\x{3000}\x{FEFF}]|\r+[^\r\n]|\r\r)");
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece found;
  if (!text::IsWellFormedUtf8(text)) return 0;
  if (!kOdd->Match(rest, 0, rest.size(), RE2::UNANCHORED, &found, 1)) return std::nullopt;
  return static_cast<size_t>(found.data() - text.data());
}

class MermaidReader {
 public:
  explicit MermaidReader(std::string_view source)
      : own_text_(WithSingleQuotedAttributes(source)),
        source_(own_text_),
        problems_(source),
        findings_(clean_, problems_) {}

  std::vector<Problem> Read() && {
    CheckHtml();
    size_t at = SkipFrontMatter();
    while (at < source_.size()) at = ReadLine(at);
    ReadDiagram();
    std::vector<Problem> problems = problems_.Take();
    DropUncheckedBesideErrors(problems);
    return problems;
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

  // Returns where the diagram begins. The second mark is indented as the first one.
  size_t SkipFrontMatter() {
    static const RE2* const kMark = new RE2(R"(([ \t]*)---[ \t\r]*\n)");
    re2::StringPiece rest(source_.data(), source_.size());
    re2::StringPiece indentation;
    if (!RE2::Consume(&rest, *kMark, &indentation)) return 0;
    const size_t begin = source_.size() - rest.size();
    const std::string mark = absl::StrCat("\n", indentation.as_string(), "---");
    const size_t end = source_.find(mark, begin);
    if (end == std::string_view::npos && source_.find("---", begin) != std::string_view::npos) {
      findings_.Unknown(0, "the check does not know this form of front matter");
      unreadable_ = true;
      return source_.size();
    }
    if (end == std::string_view::npos) {
      problems_.Error(indentation.size(), "unclosed-front-matter", "the front matter needs a second line ---");
      return source_.size();
    }
    CheckSettings(0, end);
    const size_t after = std::min(source_.find('\n', end + 1), source_.size() - 1) + 1;
    const std::string_view yaml = source_.substr(begin, std::max(end, begin) - begin);
    if (!text::Trim(source_.substr(end + mark.size(), after - end - mark.size())).empty() || !IsPlainYaml(yaml) ||
        !HasPlainTheme(yaml)) {
      findings_.Unknown(0, "the check does not know this form of front matter");
    }
    return after;
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
    const size_t end = std::min(source_.find('\n', begin), source_.size());
    std::string_view line = source_.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string_view trimmed = text::Trim(line);
    if (absl::StartsWith(ToAbsl(trimmed), "%%{")) return ReadDirective(begin, line.find('%'));
    if (trimmed.size() > 2 && absl::StartsWith(ToAbsl(trimmed), "%%")) {
      has_comment_ = true;
      if (absl::StrContains(ToAbsl(trimmed), "%%{")) {
        findings_.Unknown(clean_.text().size(), "Mermaid finds a directive in this comment");
      }
      return end + 1;
    }
    if (absl::StrContains(ToAbsl(trimmed), "%%{")) {
      findings_.Unknown(clean_.text().size(), "the check does not read a line with a directive in it");
      unreadable_ = true;
    }
    if (!trimmed.empty()) CheckLinks(trimmed, begin + (trimmed.data() - line.data()));
    clean_.AddLine(line, begin);
    return end + 1;
  }

  size_t ReadDirective(size_t begin, size_t blanks) {
    static const RE2* const kInit = new RE2(R"((?s)%%\{\s*init(?:ialize)?\s*:\s*\{[^%]*\}\s*\}%%\s*)");
    const size_t end = source_.find(kDirectiveEnd, begin);
    if (end == std::string_view::npos && !text::Trim(clean_.text()).empty()) {
      findings_.Unknown(clean_.text().size(), "the directive needs a }%% at its end, and Mermaid may pass it over");
      unreadable_ = true;
      return source_.size();
    }
    if (end == std::string_view::npos) {
      problems_.Error(begin + blanks, "unclosed-directive", "the directive needs a }%% at its end");
      return source_.size();
    }
    CheckSettings(begin, end);
    const size_t line_end = std::min(source_.find('\n', end), source_.size());
    if (!text::Trim(source_.substr(end + kDirectiveEnd.size(), line_end - end - kDirectiveEnd.size())).empty()) {
      findings_.Unknown(clean_.text().size(), "the check does not read a line on behind a directive");
      unreadable_ = true;
      return source_.size();
    }
    const std::string_view directive = source_.substr(begin + blanks, line_end - begin - blanks);
    if (!RE2::FullMatch(directive, *kInit) || !HasPlainTheme(directive)) {
      findings_.Unknown(clean_.text().size(), "the check does not know this form of a directive");
    }
    clean_.AddLine("", begin);
    return line_end + 1;
  }

  void ReadDiagram() {
    if (unreadable_) return;
    const std::string_view text = clean_.text();
    const size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) {
      problems_.Error(0, "empty-diagram", "the diagram is empty");
      return;
    }
    const size_t header_end = text.find('\n', begin);
    const std::string_view header = text.substr(begin, header_end - begin);
    const DiagramKind* const kind = FindKind(header, begin);
    if (kind == nullptr) return;
    const bool has_statement = text.find_first_not_of(" \t\n", header_end) != std::string_view::npos;
    if (!has_statement && FirstWord(header) == text::Trim(header) && kind->keyword != "info") {
      if (has_comment_) {
        findings_.Unknown(begin, "the diagram has comments alone, which some kinds may have");
      } else {
        findings_.Error(begin, "empty-diagram", "the diagram has a kind and nothing in it");
      }
      return;
    }
    FindDoubts(text, *kind);
    if (kind->grammar == Grammar::kFlowchart) {
      FlowchartCheck(text, findings_).Read(begin);
    } else if (kind->grammar == Grammar::kUnknown) {
      findings_.Unknown(begin, absl::StrCat("the check does not know the statements of ", ToAbsl(kind->keyword)));
    } else {
      ReadLines(*kind, header, begin);
    }
  }

  const DiagramKind* FindKind(std::string_view header, size_t begin) {
    const std::string_view word = FirstWord(header);
    const DiagramKind* kind = FindDiagramKind(word);
    if (kind != nullptr) return kind;
    if (absl::EndsWith(ToAbsl(word), "-beta") || absl::StartsWith(ToAbsl(word), "---")) {
      findings_.Unknown(begin, absl::StrCat("the check does not know diagrams of the kind ", Quoted(word)));
      return nullptr;
    }
    if (kind = KindBefore(header); kind != nullptr || FindOddCharacter(header).has_value()) {
      findings_.Unknown(begin, "the first line has more in it than the check knows");
      return nullptr;
    }
    const std::string_view nearest = text::NearestName(word, DiagramKeywords());
    findings_.Error(begin, "unknown-diagram",
                    absl::StrCat(Quoted(word), " is no kind of diagram",
                                 nearest.empty() ? "; begin with flowchart TD, sequenceDiagram or another kind"
                                                 : absl::StrCat("; did you mean ", ToAbsl(nearest), "?")));
    return nullptr;
  }

  // Text that may change the meaning of any diagram.
  void FindDoubts(std::string_view text, const DiagramKind& kind) {
    static const RE2* const kCutSemicolon = new RE2(R"((?:style|classDef).*:\S*#.*;.*\S)");
    if (text::CountCharacters(source_) > kMaxShownCharacters) {
      findings_.Error(0, "too-long", absl::StrCat("Mermaid shows at most ", kMaxShownCharacters, " characters"));
    }
    if (const std::optional<size_t> odd = FindOddCharacter(text); odd.has_value()) {
      findings_.Unknown(*odd, "a character is no plain blank, and Mermaid may or may not take it for one");
    }
    for (const std::string_view other : kKindsAnywhere) {
      const size_t at = text.find(other);
      if (at != std::string_view::npos && kind.grammar != Grammar::kUnknown) {
        findings_.Unknown(at, absl::StrCat("Mermaid may take the diagram for one of the kind ", ToAbsl(other)));
      }
    }
    for (size_t at = text.find("%%"); at != std::string_view::npos; at = std::string_view::npos) {
      findings_.Unknown(at, "a comment belongs on a line of its own");
    }
    FindMisreadText(text, kind.grammar);
    re2::StringPiece found;
    if (kCutSemicolon->Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)) {
      findings_.Unknown(found.data() - text.data(), "Mermaid drops a semicolon of this line");
    }
  }

  // Words and signs that some lexers of Mermaid take for their own wherever they are.
  void FindMisreadText(std::string_view text, Grammar grammar) {
    // Beside something else in its line.
    static const RE2* const kDirectionInside =
        new RE2(R"(\S.*direction[ \t]+(?:TB|TD|BT|RL|LR)|direction[ \t]+(?:TB|TD|BT|RL|LR)[ \t]*[^ \t\n])");
    static const RE2* const kCharacterCode = new RE2(R"(#\w+;)");
    const bool has_direction = grammar == Grammar::kClass || grammar == Grammar::kState ||
                               grammar == Grammar::kEntity || grammar == Grammar::kRequirement;
    re2::StringPiece found;
    if (has_direction && kDirectionInside->Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)) {
      findings_.Unknown(found.data() - text.data(),
                        "Mermaid may take \"direction\" in a line for a statement of its own");
    }
    if (grammar == Grammar::kSankey && kCharacterCode->Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)) {
      findings_.Unknown(found.data() - text.data(), "Mermaid may refuse codes of characters here");
    }
  }

  void ReadLines(const DiagramKind& kind, std::string_view header, size_t begin) {
    const std::string_view text = clean_.text();
    LineDiagramCheck check(kind.grammar, findings_);
    check.CheckHeader(header, begin);
    for (size_t at = begin + header.size() + 1; at < text.size();) {
      const size_t end = text.find('\n', at);
      check.CheckLine(text.substr(at, end - at), at);
      at = end + 1;
    }
    check.Finish();
    static const RE2* const kQuoteInTitle = new RE2(R"(title[^\n]*["'])");
    if (kind.grammar == Grammar::kPie && std::count(text.begin(), text.end(), '"') % 2 != 0 &&
        text.find('\'') == std::string_view::npos && !RE2::PartialMatch(text, *kQuoteInTitle)) {
      findings_.Error(text.rfind('"'), "unterminated-label", "the quotes have no partner");
    }
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

  const std::string own_text_;
  const std::string_view source_;
  Problems problems_;
  CleanText clean_;
  Findings findings_;
  bool unreadable_ = false;
  bool has_comment_ = false;
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
