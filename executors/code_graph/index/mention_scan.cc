#include "executors/code_graph/index/mention_scan.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "executors/code_graph/index/fact_builder.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Group = LanguageGroup;

constexpr Token kNoToken = {};

// Whether the symbol has parameters, and variables of its own.
bool IsFunction(const SymbolFact& symbol) {
  return symbol.label == SymbolLabel::kFunction || symbol.label == SymbolLabel::kMethod ||
         symbol.label == SymbolLabel::kPrototype;
}

// Keywords in front of a name that declare it as a variable.
bool Declares(const Token& keyword) {
  static constexpr std::array<std::string_view, 10> kWords = {"var", "let", "const", "mut",   "val",
                                                              "for", "as",  "my",    "local", "catch"};
  return keyword.IsName() && text::IsOneOf(keyword.text, kWords);
}

// Keywords that are types, or parts of one.
bool IsTypeWord(const Token& keyword) {
  static constexpr std::array<std::string_view, 21> kWords = {
      "auto", "bool",  "boolean", "byte",     "char",   "const",  "decimal", "double", "final",   "float",   "int",
      "long", "short", "signed",  "unsigned", "string", "object", "var",     "void",   "wchar_t", "volatile"};
  return keyword.IsName() && text::IsOneOf(keyword.text, kWords);
}

class MentionScan {
 public:
  MentionScan(const std::vector<Token>& tokens, const Language& language, const std::vector<SymbolFact>& symbols)
      : tokens_(tokens), language_(language), symbols_(symbols) {
    for (const SymbolFact& symbol : symbols) defined_.insert({symbol.line, symbol.name});
  }

  MentionList Run() {
    for (at_ = 0; at_ < tokens_.size() && list_.mentions.size() < kMaxMentions; ++at_) {
      const Token& token = tokens_[at_];
      if (token.kind == Token::Kind::kSign) FollowSign(token.text);
      if (!token.IsName() || token.after_sigil || token.text.size() > kMaxNameBytes) continue;
      if (language_.IsKeyword(token.text)) continue;
      FollowSymbols(static_cast<int>(token.line));
      Take(token);
    }
    return std::move(list_);
  }

 private:
  // `ahead` may be negative.
  const Token& Near(int ahead) const {
    const size_t at = at_ + static_cast<size_t>(ahead);
    return at < tokens_.size() ? tokens_[at] : kNoToken;
  }

  // Brings the stack of the symbols around the present token to `line`.
  void FollowSymbols(int line) {
    const auto leave = [&](int at) {
      while (!around_.empty() && symbols_[around_.back()].end_line < at) around_.pop_back();
    };
    for (; next_symbol_ < symbols_.size() && symbols_[next_symbol_].line <= line; ++next_symbol_) {
      if (symbols_[next_symbol_].end_line < line) continue;
      leave(symbols_[next_symbol_].line);
      around_.push_back(next_symbol_);
    }
    leave(line);
  }

  // Keeps the depth of parentheses, and whether a declaration goes on.
  void FollowSign(std::string_view sign) {
    if (sign == "(" || sign == "[") ++depth_;
    if (sign == ")" || sign == "]") --depth_;
    if (sign == ";" || sign == "{" || sign == "}" || depth_ < declared_at_) declared_at_ = kNoDeclaration;
  }

  int Source() const { return around_.empty() ? -1 : static_cast<int>(around_.back()); }
  bool InFunction() const { return !around_.empty() && IsFunction(symbols_[around_.back()]); }

  void Take(const Token& token) {
    if (defined_.contains({static_cast<int>(token.line), token.text})) return;
    const Token& before = Near(-1);
    const bool is_member = before.IsSign(".") || before.IsSign("->");
    if (!is_member) {
      if (InFunction() && DeclaresVariable(before)) {
        locals_.insert({Source(), token.text});
        declared_at_ = depth_;
        return;
      }
      if (IsLabel(before)) return;
      if (locals_.contains({Source(), token.text})) return;
    }
    Mention mention;
    mention.source = Source();
    mention.is_member = is_member;
    mention.line = static_cast<int>(token.line);
    mention.type = IsCall() ? RelationshipType::kCalls : RelationshipType::kReferences;
    if (is_member || before.IsSign("::")) mention.qualifier = Qualifier(Near(-2));
    mention.name = Intern(token.text);
    Add(mention);
  }

  bool IsCall() const {
    if (Near(1).IsSign("(")) return true;
    return language_.group == Group::kRust && Near(1).IsSign("!") && (Near(2).IsSign("(") || Near(2).IsSign("["));
  }

  // A keyword argument or the key of an object: it names nothing.
  bool IsLabel(const Token& before) const {
    if (!before.IsSign("(") && !before.IsSign(",") && !before.IsSign("{")) return false;
    if (language_.group == Group::kPython) return Near(1).IsSign("=") && !Near(2).IsSign("=");
    return language_.group == Group::kScript && Near(1).IsSign(":") && !before.IsSign("(");
  }

  bool DeclaresVariable(const Token& before) const {
    if (Declares(before)) return true;
    switch (language_.group) {
      case Group::kC:
      case Group::kJvm:
      case Group::kSharp:
        return FollowsType() || FollowsVariable();
      case Group::kGo:
        return (Near(1).IsSign(":") && Near(2).IsSign("=")) || IsParameter(before);
      case Group::kPython:
      case Group::kRuby:
        return IsAssigned(before) || IsParameter(before);
      case Group::kRust:
      case Group::kScript:
      case Group::kLua:
        return IsParameter(before);
      default:
        return false;
    }
  }

  // `Type name`, `Type* name`: what stands before is a type, and what follows ends a declarator.
  bool FollowsType() const {
    static constexpr std::array<std::string_view, 8> kEnds = {"=", ";", ",", ")", "[", ":", "{", "("};
    if (Near(1).kind != Token::Kind::kSign || !text::IsOneOf(Near(1).text, kEnds)) return false;
    int back = -1;
    while (Near(back).IsSign("*") || Near(back).IsSign("&")) --back;
    const Token& type = Near(back);
    if (language_.IsKeyword(type.text)) return type.IsName() && IsTypeWord(type);
    if (type.IsSign(">")) return EndsTemplate(back);
    if (!type.IsName()) return false;
    if (back == -1) return true;
    // `a * b` multiplies unless it begins a statement or a parameter.
    const Token& first = Near(back - 1);
    return first.IsSign(";") || first.IsSign("{") || first.IsSign("}") || first.IsSign("(") || first.IsSign(",") ||
           (first.IsName() && language_.IsKeyword(first.text) && first.text != "return");
  }

  // `, name` behind a variable that was declared in the same statement.
  bool FollowsVariable() const {
    static constexpr std::array<std::string_view, 4> kEnds = {"=", ";", ",", "["};
    if (declared_at_ != depth_ || Near(1).kind != Token::Kind::kSign || !text::IsOneOf(Near(1).text, kEnds))
      return false;
    int back = -1;
    while (Near(back).IsSign("*") || Near(back).IsSign("&")) --back;
    return Near(back).IsSign(",");
  }

  // Whether the ">" at `back` closes a list of template arguments, and is no comparison.
  bool EndsTemplate(int back) const {
    constexpr int kMostTokens = 24;
    int open = 1;
    for (const int first = back - kMostTokens; open > 0 && back > first;) {
      const Token& token = Near(--back);
      if (token.IsSign(">")) ++open;
      if (token.IsSign("<")) --open;
      if (token.kind == Token::Kind::kSign && token.text.find_first_of("<>:,*&[]") == std::string_view::npos)
        return false;
    }
    return open == 0 && Near(back - 1).IsName();
  }

  // In the line in which its function begins, as `(name, name: type, name type)`.
  bool IsParameter(const Token& before) const {
    const SymbolFact& function = symbols_[around_.back()];
    if (static_cast<int>(tokens_[at_].line) != function.line) return false;
    if (!before.IsSign("(") && !before.IsSign(",") && !before.IsSign("*") && !before.IsSign("|")) return false;
    const Token& after = Near(1);
    const bool is_go = language_.group == Group::kGo;
    return after.IsSign(",") || after.IsSign(")") || after.IsSign(":") || after.IsSign("=") ||
           (is_go && (after.IsName() || after.IsSign("*") || after.IsSign("[")));
  }

  bool IsAssigned(const Token& before) const {
    if (!Near(1).IsSign("=") || Near(2).IsSign("=")) return false;
    return depth_ == 0 && (before.line != tokens_[at_].line || before.IsSign(",") || before.IsSign(";"));
  }

  uint32_t Qualifier(const Token& token) {
    if (!token.IsName() || language_.IsKeyword(token.text) || token.text.size() > kMaxNameBytes) {
      return Mention::kNoName;
    }
    return Intern(token.text);
  }

  uint32_t Intern(std::string_view name) {
    const auto [entry, added] = names_.try_emplace(name, static_cast<uint32_t>(list_.names.size()));
    if (added) list_.names.emplace_back(name);
    return entry->second;
  }

  void Add(const Mention& mention) {
    const auto key = std::make_tuple(mention.source, mention.name, mention.qualifier, static_cast<int>(mention.type),
                                     mention.is_member);
    const auto [entry, added] = places_.try_emplace(key, list_.mentions.size());
    if (added) {
      list_.mentions.push_back(mention);
    } else {
      ++list_.mentions[entry->second].count;
    }
  }

  const std::vector<Token>& tokens_;
  const Language& language_;
  const std::vector<SymbolFact>& symbols_;
  static constexpr int kNoDeclaration = INT32_MIN;

  size_t at_ = 0;
  int depth_ = 0;                     // Of parentheses.
  int declared_at_ = kNoDeclaration;  // The depth at which the present statement declares variables.
  size_t next_symbol_ = 0;
  std::vector<size_t> around_;
  absl::flat_hash_set<std::pair<int, std::string_view>> defined_;  // Names of symbols by line.
  absl::flat_hash_set<std::pair<int, std::string_view>> locals_;   // By function.
  MentionList list_;
  absl::flat_hash_map<std::string_view, uint32_t> names_;
  absl::flat_hash_map<std::tuple<int, uint32_t, uint32_t, int, bool>, size_t> places_;
};

class ImportScan {
 public:
  ImportScan(const std::vector<Token>& tokens, Group group) : tokens_(tokens), group_(group) {}

  std::vector<ImportFact> Run() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_].IsName()) Take(tokens_[at_].text);
    }
    return std::move(imports_);
  }

 private:
  const Token& Near(size_t ahead) const { return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : kNoToken; }
  bool BeginsStatement() const {
    if (at_ == 0) return true;
    const Token& before = tokens_[at_ - 1];
    return before.line != tokens_[at_].line || before.IsSign(";") || before.IsSign("}") || before.IsSign("{") ||
           before.text == "pub" || before.text == "global";
  }

  void Take(std::string_view word) {
    switch (group_) {
      case Group::kScript:
        if (word == "from" || word == "import" || word == "require") TakeString();
        return;
      case Group::kLua:
        if (word == "require") TakeString();
        return;
      case Group::kPhp:
        if (word.substr(0, 7) == "require" || word.substr(0, 7) == "include") TakeString();
        if (word == "use" && BeginsStatement()) TakePath("\\");
        return;
      case Group::kPerl:
        if ((word == "use" || word == "require") && BeginsStatement()) TakePath("::");
        return;
      case Group::kSharp:
        if (word == "using" && BeginsStatement()) TakePath(".");
        return;
      case Group::kRust:
        if (word == "use" && BeginsStatement()) TakePath("::");
        if (word == "mod" && BeginsStatement() && Near(2).IsSign(";")) Add("self::" + std::string(Near(1).text), true);
        return;
      default:
        return;
    }
  }

  // The string that follows, perhaps in parentheses.
  void TakeString() {
    const Token& next = Near(1);
    if (next.kind == Token::Kind::kString) return Add(std::string(next.text));
    if (next.IsSign("(") && Near(2).kind == Token::Kind::kString) Add(std::string(Near(2).text));
  }

  // Names joined by `separator`, on one line. A name alone that is a keyword of the language (`using (…)`) is none.
  void TakePath(std::string_view separator) {
    std::string path;
    for (size_t ahead = 1; Near(ahead).line == tokens_[at_].line; ++ahead) {
      const Token& token = Near(ahead);
      if (!token.IsName() && !token.IsSign(separator)) break;
      if (token.IsName() && Near(ahead - 1).IsName() && ahead > 1) break;
      path += token.text;
    }
    while (path.size() >= separator.size() &&
           std::string_view(path).substr(path.size() - separator.size()) == separator) {
      path.resize(path.size() - separator.size());
    }
    if (!path.empty()) Add(std::move(path));
  }

  void Add(std::string name, bool only_if_file = false) {
    if (name.empty() || name.size() > kMaxNameBytes) return;
    imports_.push_back({std::move(name), static_cast<int>(tokens_[at_].line), false, false, only_if_file});
  }

  const std::vector<Token>& tokens_;
  const Group group_;
  size_t at_ = 0;
  std::vector<ImportFact> imports_;
};

}  // namespace

MentionList ScanMentions(const std::vector<Token>& tokens, const Language& language,
                         const std::vector<SymbolFact>& symbols) {
  return MentionScan(tokens, language, symbols).Run();
}

std::vector<ImportFact> ScanImports(const std::vector<Token>& tokens, const Language& language) {
  return ImportScan(tokens, language.group).Run();
}

}  // namespace toolgate::executors::code_graph::index
