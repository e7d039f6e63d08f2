#include "executors/code_graph/index/java_records.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "executors/code_graph/index/declaration_cursor.h"
#include "executors/code_graph/index/language.h"

namespace toolgate::executors::code_graph::index {
namespace {

class JavaRecords {
 public:
  explicit JavaRecords(const std::vector<Token>& tokens) : tokens_(tokens), close_(PairBrackets(tokens)) {}

  // The text in older words. `content` is what the tokens are of.
  std::string Rewrite(std::string_view content) const {
    std::string text(content);
    const auto blank = [&](size_t first, size_t end) {
      const size_t begin = static_cast<size_t>(tokens_[first].text.data() - content.data());
      const Token& last = tokens_[end - 1];
      const size_t behind = static_cast<size_t>(last.text.data() - content.data()) + last.text.size();
      for (size_t i = begin; i < behind; ++i) {
        if (text[i] != '\n') text[i] = ' ';
      }
    };
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (IsWord(i, "sealed") && IsName(i + 1)) {
        const bool is_negated = i > 1 && IsSign(i - 1, "-") && IsWord(i - 2, "non");
        blank(is_negated ? i - 2 : i, i + 1);
      } else if (IsWord(i, "permits") && IsName(i + 1)) {
        const size_t end = EndOfNames(i + 1);
        blank(i, end);
        i = end - 1;
      } else if (const std::optional<size_t> open = ComponentsAt(i); open.has_value()) {
        const size_t at = static_cast<size_t>(tokens_[i].text.data() - content.data());
        text.replace(at, 6, "class ");
        blank(*open, close_[*open] + 1);
        for (const size_t name : CompactConstructors(i, *open)) blank(name, name + 1);
        i = close_[*open];
      }
    }
    return text;
  }

  void AddTo(std::vector<Tag>& tags) const {
    absl::flat_hash_map<std::pair<int, std::string>, std::string> scopes;  // Of what is in a class.
    for (const Tag& tag : tags) {
      if (tag.kind != "class") continue;
      scopes[{tag.line, tag.name}] = tag.scope.empty() ? tag.name : absl::StrCat(tag.scope, ".", tag.name);
    }
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::optional<size_t> open = ComponentsAt(i);
      if (!open.has_value()) continue;
      const auto scope = scopes.find({static_cast<int>(tokens_[i + 1].line), std::string(tokens_[i + 1].text)});
      if (scope != scopes.end()) AddComponentsOf(*open, scope->second, tags);
      i = close_[*open];
    }
  }

 private:
  bool IsName(size_t at) const { return at < tokens_.size() && tokens_[at].IsName(); }
  bool IsWord(size_t at, std::string_view word) const { return IsName(at) && tokens_[at].text == word; }
  bool IsSign(size_t at, std::string_view sign) const { return at < tokens_.size() && tokens_[at].IsSign(sign); }

  size_t EndOfNames(size_t at) const {
    while (IsName(at) || IsSign(at, ",") || IsSign(at, ".")) ++at;
    return at;
  }

  // The parenthesis of `record Name<T>(…)` at `at`.
  std::optional<size_t> ComponentsAt(size_t at) const {
    if (!IsWord(at, "record") || !IsName(at + 1) || (at > 0 && IsSign(at - 1, "."))) return std::nullopt;
    size_t open = at + 2;
    if (IsSign(open, "<")) {
      while (open < std::min(tokens_.size(), at + kMostTokens) && !IsSign(open, "(")) ++open;
    }
    if (!IsSign(open, "(") || close_[open] == open) return std::nullopt;
    const size_t next = close_[open] + 1;
    if (!IsSign(next, "{") && !IsWord(next, "implements")) return std::nullopt;
    return open;
  }

  // The names of constructors without parameters in the record at `at`.
  std::vector<size_t> CompactConstructors(size_t at, size_t open) const {
    std::vector<size_t> names;
    size_t body = close_[open] + 1;
    const size_t most = std::min(tokens_.size(), body + kMostTokens);
    while (body < most && !IsSign(body, "{")) ++body;
    if (body >= most) return names;
    for (size_t i = body + 1; i < close_[body]; i = close_[i] + 1) {
      if (IsName(i) && tokens_[i].text == tokens_[at + 1].text && IsSign(i + 1, "{")) names.push_back(i);
    }
    return names;
  }

  void AddComponentsOf(size_t open, const std::string& scope, std::vector<Tag>& tags) const {
    for (size_t i = open + 1; i < close_[open]; ++i) {
      if (!IsName(i) || !(IsSign(i + 1, ",") || i + 1 == close_[open])) continue;
      // In a list of type arguments, what stands before is a sign or nothing.
      if (!IsName(i - 1) && !IsSign(i - 1, ">") && !IsSign(i - 1, "]") && !IsSign(i - 1, ".")) continue;
      Tag tag;
      tag.name = tokens_[i].text;
      tag.language = "Java";
      tag.kind = "field";
      tag.scope = scope;
      tag.scope_kind = "class";
      tag.line = static_cast<int>(tokens_[i].line);
      tag.end = tag.line;
      tags.push_back(std::move(tag));
    }
  }

  static constexpr size_t kMostTokens = 100;  // Of a list of types.

  const std::vector<Token>& tokens_;
  const std::vector<size_t> close_;
};

}  // namespace

std::string WithoutRecords(std::string_view content) {
  const std::vector<Token> tokens = Tokenise(content, *FindLanguage("Java").lex);
  return JavaRecords(tokens).Rewrite(content);
}

void AddComponents(const std::vector<Token>& tokens, std::vector<Tag>& tags) { JavaRecords(tokens).AddTo(tags); }

}  // namespace toolgate::executors::code_graph::index
