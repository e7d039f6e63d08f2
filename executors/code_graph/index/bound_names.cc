#include "executors/code_graph/index/bound_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/text/words.h"
#include "executors/code_graph/index/declaration_cursor.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Group = LanguageGroup;

constexpr size_t kMostTokensOfName = 40;  // With type parameters.

class BoundNames {
 public:
  BoundNames(const std::vector<Token>& tokens, const Language& language, const std::vector<SymbolFact>& symbols,
             const std::vector<std::pair<size_t, size_t>>& ranges)
      : tokens_(tokens),
        language_(language),
        symbols_(symbols),
        ranges_(ranges),
        close_(PairBrackets(tokens)),
        bound_(tokens.size(), false) {}

  std::vector<bool> Run() {
    switch (language_.group) {
      case Group::kGo:
        MarkParametersOfGo();
        break;
      case Group::kLua:
        MarkVariablesOfLua();
        break;
      case Group::kPython:
        MarkParametersOfSymbols();
        break;
      case Group::kRust:
        MarkPatternsOfRust();
        break;
      default:
        MarkParameters();
    }
    return std::move(bound_);
  }

 private:
  // The closing bracket of a list; of a very long one, a position before.
  size_t EndOfList(size_t open) const {
    constexpr size_t kMostTokensOfList = 500;
    return std::min(close_[open], open + kMostTokensOfList);
  }

  bool IsKotlin() const { return language_.name == "Kotlin"; }
  bool IsPython() const { return language_.group == Group::kPython; }
  bool IsRuby() const { return language_.group == Group::kRuby; }

  // Marks the names that functions and patterns bind, wherever they are in the list.
  void MarkParameters() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const bool opens_list = tokens_[i].IsSign("(") && !tokens_[i].is_made && IsArrowAt(close_[i] + 1);
      const bool opens_pattern = i > 0 && !IsRuby() &&
                                 (tokens_[i].IsSign("{") || tokens_[i].IsSign("[") || tokens_[i].IsSign("(")) &&
                                 DeclaresVariables(tokens_[i - 1]);
      if (opens_list || opens_pattern) MarkNames(i, opens_pattern);
      if (tokens_[i].IsName() && IsArrowAt(i + 1)) bound_[i] = true;
    }
    MarkParametersOfSymbols();
  }

  bool IsArrowAt(size_t at) const {
    if (IsKotlin() || IsRuby() || at + 1 >= tokens_.size() || !tokens_[at].IsSign("=")) return false;
    return tokens_[at + 1].IsSign(">") && tokens_[at].text.data() + 1 == tokens_[at + 1].text.data();
  }

  void MarkParametersOfSymbols() {
    for (size_t i = 0; i < symbols_.size(); ++i) {
      if (IsFunction(symbols_[i])) MarkParametersOf(i);
    }
  }

  void MarkParametersOf(size_t symbol) {
    const auto [first, end] = ranges_[symbol];
    size_t at = first;
    while (at < end && tokens_[at].text != symbols_[symbol].name) ++at;
    const size_t most = std::min(end, at + (IsRuby() ? 2 : kMostTokensOfName));
    while (at < most && !tokens_[at].IsSign("(") && !tokens_[at].IsSign("{")) ++at;
    if (at < most && tokens_[at].IsSign("(")) MarkNames(at, false);
  }

  // `func (receiver *Type) Name(name, other Type)`, and functions without a name.
  void MarkParametersOfGo() {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!tokens_[i].IsName() || tokens_[i].text != "func") continue;
      size_t open = i + 1;
      if (!tokens_[open].IsSign("(")) ++open;
      for (int lists = 0; lists < 2 && open < tokens_.size() && tokens_[open].IsSign("("); ++lists) {
        MarkNamesOfGo(open);
        open = close_[open] + 1;
        if (open < tokens_.size() && tokens_[open].IsName()) ++open;
      }
    }
  }

  void MarkNamesOfGo(size_t open) {
    for (size_t i = open + 1; i < EndOfList(open); ++i) {
      if (!tokens_[i].IsName() || !(tokens_[i - 1].IsSign("(") || tokens_[i - 1].IsSign(","))) continue;
      const Token& next = tokens_[i + 1];
      const bool is_variadic = next.IsSign(".") && tokens_[i + 2].IsSign(".");
      bound_[i] = next.IsName() || next.IsSign("*") || next.IsSign("[") || is_variadic ||
                  (next.IsSign(",") && StartsLower(tokens_[i].text));
    }
  }

  // `let (name, Type(other)) =`, `for name in`, `|name, other|`
  void MarkPatternsOfRust() {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i].IsName() && (tokens_[i].text == "let" || tokens_[i].text == "for")) MarkPatternOfRust(i);
      if (tokens_[i].IsSign("|") && i > 0 && BeginsClosure(tokens_[i - 1])) i = MarkClosureOfRust(i);
    }
    MarkParametersOfSymbols();
  }

  static bool BeginsClosure(const Token& before) {
    if (before.IsName()) return before.text == "move" || before.text == "return";
    return before.IsSign("(") || before.IsSign(",") || before.IsSign("=") || before.IsSign("{") || before.IsSign(";");
  }

  // A name of a pattern, and not of a type, a field or a function.
  bool BindsInRust(size_t at) const {
    if (!tokens_[at].IsName() || !StartsLower(tokens_[at].text) || at + 1 >= tokens_.size()) return false;
    const Token& next = tokens_[at + 1];
    return !next.IsSign("(") && !next.IsSign("::") && !tokens_[at - 1].IsSign("::") && !next.IsSign("!");
  }

  void MarkPatternOfRust(size_t keyword) {
    constexpr size_t kMostTokens = 60;
    for (size_t i = keyword + 1; i < std::min(tokens_.size(), keyword + kMostTokens); ++i) {
      if (tokens_[i].IsSign("=") || tokens_[i].IsSign(";") || tokens_[i].text == "in") return;
      if (tokens_[i].IsSign("{") && tokens_[keyword].text == "for") return;  // Of `impl Trait for Type`.
      if (BindsInRust(i) && !tokens_[i - 1].IsSign(":") && !tokens_[i - 1].IsSign("<")) bound_[i] = true;
    }
  }

  size_t MarkClosureOfRust(size_t open) {
    constexpr size_t kMostTokens = 60;
    for (size_t i = open + 1; i < std::min(tokens_.size(), open + kMostTokens); ++i) {
      if (tokens_[i].IsSign("|")) return i;
      if (tokens_[i].IsSign(";") || tokens_[i].IsSign("{")) break;
      if (BindsInRust(i) && !tokens_[i - 1].IsSign(":") && !tokens_[i - 1].IsSign("<")) bound_[i] = true;
    }
    return open;
  }

  // `function (a, b)`, `local a, b`, `for a, b in`
  void MarkVariablesOfLua() {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const std::string_view word = tokens_[i].IsName() ? tokens_[i].text : "";
      if (word == "function") {
        size_t open = i + 1;
        while (open < tokens_.size() && !tokens_[open].IsSign("(") && open < i + kMostTokensOfName) ++open;
        if (open < tokens_.size() && tokens_[open].IsSign("(")) MarkNames(open, false);
      }
      if (word != "local" && word != "for") continue;
      for (size_t name = i + 1; name < tokens_.size() && tokens_[name].IsName() && tokens_[name].text != "function";
           name += 2) {
        bound_[name] = true;
        if (name + 1 >= tokens_.size() || !tokens_[name + 1].IsSign(",")) break;
      }
    }
  }

  // Names in front of what may follow one that is bound, and behind what may stand before it.
  void MarkNames(size_t open, bool is_pattern) {
    static constexpr std::array<std::string_view, 7> kBefore = {"(", ",", "{", "[", ".", "*", "&"};
    static constexpr std::array<std::string_view, 7> kBehind = {",", ")", "}", "]", ":", "=", "?"};
    for (size_t i = open + 1; i < EndOfList(open); ++i) {
      const Token& token = tokens_[i];
      // Names in brackets within the list are no parameters.
      if (IsPython() && close_[i] > i) i = close_[i];
      if (!token.IsName() || tokens_[i + 1].kind != Token::Kind::kSign) continue;
      if (!text::IsOneOf(tokens_[i + 1].text, kBehind)) continue;
      const Token& before = tokens_[i - 1];
      // In C#, the type stands before the name.
      const bool has_type = language_.group == Group::kSharp &&
                            (before.IsName() || before.IsSign(">") || before.IsSign("]") || before.IsSign("?"));
      const bool is_first = before.kind == Token::Kind::kSign && text::IsOneOf(before.text, kBefore);
      const bool is_renamed = is_pattern && before.IsSign(":");
      const bool is_property = language_.group == Group::kScript && before.IsName() && language_.IsKeyword(before.text);
      if (has_type || is_first || is_renamed || is_property) bound_[i] = true;
    }
  }

  const std::vector<Token>& tokens_;
  const Language& language_;
  const std::vector<SymbolFact>& symbols_;
  const std::vector<std::pair<size_t, size_t>>& ranges_;
  const std::vector<size_t> close_;
  std::vector<bool> bound_;
};

}  // namespace

std::vector<bool> FindBoundNames(const std::vector<Token>& tokens, const Language& language,
                                 const std::vector<SymbolFact>& symbols,
                                 const std::vector<std::pair<size_t, size_t>>& ranges) {
  const bool has_rules = language.group == Group::kGo || language.group == Group::kLua ||
                         language.group == Group::kPython || language.group == Group::kRuby ||
                         language.group == Group::kRust || language.group == Group::kScript ||
                         language.group == Group::kSharp || language.name == "Kotlin";
  return has_rules ? BoundNames(tokens, language, symbols, ranges).Run() : std::vector<bool>();
}

bool IsFunction(const SymbolFact& symbol) {
  return symbol.label == SymbolLabel::kFunction || symbol.label == SymbolLabel::kMethod ||
         symbol.label == SymbolLabel::kPrototype;
}

bool StartsLower(std::string_view name) {
  return !name.empty() && (name[0] == '_' || (name[0] >= 'a' && name[0] <= 'z'));
}

bool DeclaresVariables(const Token& keyword) {
  static constexpr std::array<std::string_view, 10> kWords = {"var", "let", "const", "mut",   "val",
                                                              "for", "as",  "my",    "local", "catch"};
  return keyword.IsName() && text::IsOneOf(keyword.text, kWords);
}

}  // namespace toolgate::executors::code_graph::index
