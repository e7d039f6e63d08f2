#include "executors/artifacts/checks/react/react_check.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/artifacts/checks/react/jsx_lexer.h"
#include "executors/artifacts/checks/react/module_rules.h"

namespace toolgate::executors::artifacts::checks::react {
namespace {

// Whether the tokens end where the source does, but for comments.
bool IsComplete(const std::vector<Problem>& problems) {
  return std::none_of(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.severity == Severity::kError && problem.rule != "void-element" && problem.rule != "bare-sign";
  });
}

// Attributes of HTML's own elements that React names otherwise.
std::vector<Edit> AttributeEdits(const std::vector<Token>& tokens) {
  std::vector<Edit> edits;
  bool of_html = false;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::kJsxOpen) {
      of_html = !token.text.empty() && absl::ascii_islower(static_cast<unsigned char>(token.text.front())) &&
                token.text.find('-') == std::string_view::npos;
    } else if (token.kind == TokenKind::kJsxAttribute && of_html) {
      if (token.text == "class") edits.push_back({token.offset, token.text.size(), "className"});
      if (token.text == "for") edits.push_back({token.offset, token.text.size(), "htmlFor"});
    }
  }
  return edits;
}

std::string Apply(std::string_view source, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  std::string text;
  size_t at = 0;
  for (const Edit& edit : edits) {
    absl::StrAppend(&text, ToAbsl(source.substr(at, edit.offset - at)), ToAbsl(edit.text));
    at = edit.offset + edit.length;
  }
  absl::StrAppend(&text, ToAbsl(source.substr(at)));
  return text;
}

}  // namespace

std::vector<Problem> CheckReact(std::string_view source, const ReactPolicy& policy) {
  Problems problems(source);
  if (source.size() > kMaxBytes) {
    problems.Unsafe(0, "too-large", absl::StrCat("the module is longer than ", kMaxBytes, " bytes"));
    return problems.Take();
  }
  JsxLexer lexer(source, problems);
  lexer.Read();
  std::vector<Problem> found = problems.Take();
  ModuleRules(lexer.tokens(), policy.modules, problems).Check(IsComplete(found));
  problems.Unchecked(0, "not-checked", "of the code only brackets, strings, comments, elements and names are checked");
  for (Problem& problem : problems.Take()) found.push_back(std::move(problem));
  std::stable_sort(found.begin(), found.end(), [](const Problem& a, const Problem& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  return found;
}

std::string FixReact(std::string_view source) {
  Problems problems(source);
  JsxLexer lexer(source.substr(0, std::min(source.size(), kMaxBytes)), problems);
  lexer.Read();
  std::vector<Edit> edits = AttributeEdits(lexer.tokens());
  edits.insert(edits.end(), lexer.edits().begin(), lexer.edits().end());
  return Apply(source, std::move(edits));
}

std::string ComponentName(std::string_view source) {
  Problems problems(source);
  JsxLexer lexer(source.substr(0, std::min(source.size(), kMaxBytes)), problems);
  lexer.Read();
  const std::vector<std::string> modules;
  ModuleRules rules(lexer.tokens(), modules, problems);
  rules.Check(false);
  return rules.default_export();
}

}  // namespace toolgate::executors::artifacts::checks::react
