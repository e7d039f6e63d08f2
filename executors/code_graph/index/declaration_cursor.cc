#include "executors/code_graph/index/declaration_cursor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/code_graph/index/fact_builder.h"

namespace toolgate::executors::code_graph::index {
namespace {

// Tokens of a list of type arguments.
constexpr size_t kMaxAngles = 300;

std::string_view ClosingOf(std::string_view opening) {
  return opening == "(" ? ")" : opening == "[" ? "]" : opening == "{" ? "}" : "";
}

}  // namespace

std::vector<size_t> PairBrackets(const std::vector<Token>& tokens) {
  std::vector<size_t> close(tokens.size());
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    close[i] = i;
    if (tokens[i].kind != Token::Kind::kSign) continue;
    const std::string_view sign = tokens[i].text;
    if (!ClosingOf(sign).empty()) open.push_back(i);
    if (sign != ")" && sign != "]" && sign != "}") continue;
    // A brace closes brackets that were left open; another bracket never closes a brace.
    while (!open.empty() && sign == "}" && tokens[open.back()].text != "{") open.pop_back();
    if (open.empty() || ClosingOf(tokens[open.back()].text) != sign) continue;
    close[open.back()] = i;
    open.pop_back();
  }
  return close;
}

const Token DeclarationCursor::kNone = {};

DeclarationCursor::DeclarationCursor(const std::vector<Token>& tokens, const Language& language)
    : tokens_(tokens), language_(language), close_(PairBrackets(tokens)) {}

bool DeclarationCursor::IsAnyWord(size_t at, std::initializer_list<std::string_view> words) const {
  return IsName(at) && std::find(words.begin(), words.end(), At(at).text) != words.end();
}

bool DeclarationCursor::Opens(size_t at) const {
  return At(at).kind == Token::Kind::kSign && !ClosingOf(At(at).text).empty();
}

size_t DeclarationCursor::BehindAngles(size_t at) const {
  if (!IsSign(at, "<")) return at;
  int depth = 0;
  for (size_t i = at; i < size() && i < at + kMaxAngles; i = Behind(i)) {
    if (IsSign(i, ";") || IsSign(i, ")") || IsSign(i, "}") || IsSign(i, "]")) return at;
    if (IsSign(i, "<")) ++depth;
    if (IsSign(i, ">") && !(i > 0 && IsArrow(i - 1)) && --depth == 0) return i + 1;
  }
  return at;
}

std::string DeclarationCursor::TextOf(size_t first, size_t end) const {
  if (first >= end || end > size() || At(first).is_made || At(end - 1).is_made) return "";
  const char* const begin = At(first).text.data();
  const size_t bytes = static_cast<size_t>(At(end - 1).text.data() + At(end - 1).text.size() - begin);
  std::string text(begin, std::min(bytes, kMaxSignatureBytes + 1));
  absl::RemoveExtraAsciiWhitespace(&text);
  return text;
}

size_t DeclarationCursor::AddTag(std::string_view name, std::string_view kind, size_t first, size_t at_name) {
  Tag tag;
  tag.name = name;
  tag.language = language_.name;
  tag.kind = kind;
  tag.scope = scope_.qualified_name;
  tag.scope_kind = scope_.kind;
  tag.line = static_cast<int>(At(at_name).line);
  tag.first_token = first;
  tags_.push_back(std::move(tag));
  SetEnd(tags_.size() - 1, at_name + 1);
  return tags_.size() - 1;
}

void DeclarationCursor::SetEnd(size_t index, size_t end) {
  Tag& tag = tags_[index];
  tag.end_token = std::min(std::max(end, tag.first_token + 1), size());
  tag.end = std::max(tag.line, static_cast<int>(At(tag.end_token - 1).line));
}

DeclarationCursor::Scope DeclarationCursor::ScopeOf(size_t index, bool is_function) const {
  const Tag& tag = tags_[index];
  const std::string& outer = tag.scope;
  std::string name = outer.empty() ? tag.name : absl::StrCat(outer, ToAbsl(language_.separator), tag.name);
  // A text that nests ever more must not make ever longer names.
  if (name.size() > 2 * kMaxNameBytes) name = outer;
  return {std::move(name), tag.kind, is_function || scope_.is_function};
}

DeclarationCursor::Scope DeclarationCursor::Enter(Scope scope) { return std::exchange(scope_, std::move(scope)); }

std::vector<Tag> DeclarationCursor::TakeTags() {
  std::erase_if(tags_, [](const Tag& tag) { return tag.name.empty(); });
  return std::move(tags_);
}

}  // namespace toolgate::executors::code_graph::index
