#include "executors/code_graph/index/mention_scan.h"

#include <algorithm>
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
#include "executors/code_graph/index/bound_names.h"
#include "executors/code_graph/index/fact_builder.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Group = LanguageGroup;

constexpr Token kNoToken = {};

// Keywords that are types, or parts of one.
bool IsTypeWord(const Token& keyword) {
  static constexpr std::array<std::string_view, 21> kWords = {
      "auto", "bool",  "boolean", "byte",     "char",   "const",  "decimal", "double", "final",   "float",   "int",
      "long", "short", "signed",  "unsigned", "string", "object", "var",     "void",   "wchar_t", "volatile"};
  return keyword.IsName() && text::IsOneOf(keyword.text, kWords);
}

// Words that are names before a parenthesis, and keywords elsewhere.
bool MayBeCalled(std::string_view word) {
  static constexpr std::array<std::string_view, 18> kWords = {
      "actual", "by", "data", "equals", "expect",  "external", "inner",  "into",  "join",
      "of",     "on", "open", "out",    "partial", "record",   "select", "value", "where"};
  return text::IsOneOf(word, kWords);
}

// Symbols that hold a value, and run code only in its making.
bool IsVariable(const SymbolFact& symbol) {
  return symbol.label == SymbolLabel::kVariable || symbol.label == SymbolLabel::kConstant ||
         symbol.label == SymbolLabel::kField || symbol.label == SymbolLabel::kEnumMember;
}

class MentionScan {
 public:
  MentionScan(const std::vector<Token>& tokens, const Language& language, const std::vector<SymbolFact>& symbols)
      : tokens_(tokens), language_(language), symbols_(symbols) {
    for (const SymbolFact& symbol : symbols) {
      ranges_.push_back(RangeOf(symbol));
      if (symbol.end_token == 0) {
        defined_.insert({symbol.line, symbol.name});
      } else {
        AddDefinedToken(symbol);
      }
    }
    bound_ = FindBoundNames(tokens, language, symbols, ranges_);
  }

  MentionList Run() {
    for (at_ = 0; at_ < tokens_.size() && list_.mentions.size() < kMaxMentions; ++at_) {
      const Token& token = tokens_[at_];
      if (token.kind == Token::Kind::kSign) FollowSign(token.text);
      if (!token.IsName() || token.after_sigil || token.text.size() > kMaxNameBytes) continue;
      FollowSymbols();
      if ((IsKotlin() && IsPathOfImport()) || IsKeyword(token)) continue;
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

  bool IsRuby() const { return language_.group == Group::kRuby; }
  // In other languages, "->" stands before the type of a result or the body of a function.
  bool HasArrowMembers() const {
    return language_.group == Group::kC || language_.group == Group::kPhp || language_.group == Group::kPerl;
  }
  // `object:name(…)`
  bool IsMethodOfLua() const {
    return language_.group == Group::kLua && Near(-1).IsSign(":") && !Near(-2).IsSign(":") && Near(1).text != ":";
  }
  // In PHP and Perl, "." joins strings; in others, ".." makes ranges and the like.
  bool IsBehindPoint() const {
    if (language_.group == Group::kPhp || language_.group == Group::kPerl) return false;
    return Near(-1).IsSign(".") && !Near(-2).IsSign(".");
  }
  bool IsKotlin() const { return language_.name == "Kotlin"; }

  // Whether nothing is between the token at `ahead` and the next one.
  bool Touches(int ahead) const {
    return Near(ahead).text.data() + Near(ahead).text.size() == Near(ahead + 1).text.data();
  }

  // A keyword is a name behind a dot, and some are before a parenthesis.
  bool IsKeyword(const Token& token) const {
    if (!language_.IsKeyword(token.text)) return false;
    const bool may_be_member = language_.group != Group::kPython && language_.group != Group::kRust;
    if (IsBehindPoint() && may_be_member) return false;
    if (Near(-1).IsSign("->") && language_.group == Group::kPhp) return false;
    return !(Near(1).IsSign("(") && MayBeCalled(token.text));
  }

  // Of the path that a line "import a.b.c" names, all but its end; of that of the package, all.
  bool IsPathOfImport() {
    const uint32_t line = tokens_[at_].line;
    if (at_ == 0 || tokens_[at_ - 1].line != line) header_ = {};
    if (tokens_[at_].text == "import" || tokens_[at_].text == "package") header_ = {line, tokens_[at_].text};
    if (header_.first != line) return false;
    return header_.second == "package" || Near(1).IsSign(".");
  }

  // The tokens of a symbol: its own, or those of its lines.
  std::pair<size_t, size_t> RangeOf(const SymbolFact& symbol) const {
    if (symbol.end_token > 0) return {symbol.first_token, symbol.end_token};
    const auto before = [](const Token& token, int line) { return static_cast<int>(token.line) < line; };
    const auto first = std::lower_bound(tokens_.begin(), tokens_.end(), symbol.line, before);
    const auto end = std::lower_bound(first, tokens_.end(), symbol.end_line + 1, before);
    return {static_cast<size_t>(first - tokens_.begin()), static_cast<size_t>(end - tokens_.begin())};
  }

  // The token that names a symbol in its definition.
  void AddDefinedToken(const SymbolFact& symbol) {
    for (size_t i = symbol.first_token; i < symbol.end_token; ++i) {
      if (static_cast<int>(tokens_[i].line) > symbol.line) return;
      if (static_cast<int>(tokens_[i].line) < symbol.line || tokens_[i].text != symbol.name) continue;
      defined_tokens_.insert(i);
      return;
    }
  }

  // Brings the stack of the symbols around to the present token.
  void FollowSymbols() {
    const auto leave = [&](size_t at) {
      while (!around_.empty() && ranges_[around_.back()].second <= at) around_.pop_back();
    };
    for (; next_symbol_ < symbols_.size() && ranges_[next_symbol_].first <= at_; ++next_symbol_) {
      if (ranges_[next_symbol_].second <= at_) continue;
      leave(ranges_[next_symbol_].first);
      around_.push_back(next_symbol_);
    }
    leave(at_);
  }

  // Names of a block's parameters, from the sign "|" on.
  void TakeBlockParameters() {
    for (int ahead = 1; !Near(ahead).IsSign("|") && Near(ahead).line == tokens_[at_].line; ++ahead) {
      if (Near(ahead).IsName()) locals_.insert({Scope(), Near(ahead).text});
    }
  }

  // Keeps the depth of parentheses, and whether a declaration goes on.
  void FollowSign(std::string_view sign) {
    if (sign == "(" || sign == "[") ++depth_;
    if (sign == ")" || sign == "]") --depth_;
    if (sign == "|" && language_.group == Group::kRuby && (Near(-1).text == "do" || Near(-1).IsSign("{"))) {
      FollowSymbols();
      TakeBlockParameters();
    }
    if (sign == ";" || sign == "{" || sign == "}" || depth_ < declared_at_) declared_at_ = kNoDeclaration;
  }

  // The innermost symbol around.
  int Scope() const { return around_.empty() ? -1 : static_cast<int>(around_.back()); }

  // The symbol that makes a call: not a variable, which is given the result, but the function in which it is.
  int Caller() const {
    for (size_t i = around_.size(); i-- > 0;) {
      const SymbolFact& symbol = symbols_[around_[i]];
      if (!IsVariable(symbol) || RunsCode(symbol, i)) return static_cast<int>(around_[i]);
    }
    return -1;
  }

  // Whether the present token is code of the variable's own, such as a getter. `at` is its place among those around.
  bool RunsCode(const SymbolFact& variable, size_t at) const {
    if (variable.end_token > 0) return at_ >= variable.first_code && at_ < variable.end_code;
    while (at-- > 0) {
      if (IsFunction(symbols_[around_[at]])) return false;
    }
    return true;
  }

  bool InFunction() const {
    return std::any_of(around_.begin(), around_.end(),
                       [&](size_t symbol) { return IsFunction(symbols_[symbol]) || symbols_[symbol].end_code > 0; });
  }

  bool IsLocal(std::string_view name) const {
    // A method sees no variables of the code around it.
    if (IsRuby()) return locals_.contains({Scope(), name});
    return locals_.contains({-1, name}) || std::any_of(around_.begin(), around_.end(), [&](size_t symbol) {
             return locals_.contains({static_cast<int>(symbol), name});
           });
  }

  void Take(const Token& token) {
    const Token& before = Near(-1);
    const bool is_member = IsBehindPoint() || IsMethodOfLua() || (before.IsSign("->") && HasArrowMembers());
    if (at_ < bound_.size() && bound_[at_] && !is_member) {
      locals_.insert({Scope(), token.text});
      return;
    }
    if (defined_tokens_.contains(at_) || defined_.contains({static_cast<int>(token.line), token.text})) return;
    if (language_.group == Group::kC && !is_member && IsDeclared(before)) return;
    if (!is_member) {
      if ((InFunction() || IsRuby()) && DeclaresVariable(before)) {
        locals_.insert({Scope(), token.text});
        declared_at_ = depth_;
        return;
      }
      if (IsLabel(before)) return;
      if (IsLocal(token.text)) return;
    }
    Mention mention;
    mention.type = IsCall() ? RelationshipType::kCalls : RelationshipType::kReferences;
    mention.source = mention.type == RelationshipType::kCalls ? Caller() : Scope();
    mention.is_member = is_member;
    mention.line = static_cast<int>(token.line);
    const bool is_qualified = before.IsSign("::") || (before.IsSign("\\") && language_.group == Group::kPhp);
    if (is_member || is_qualified) mention.qualifier = IsOfBase() ? Intern("super") : Qualifier(Near(-2));
    mention.name = Intern(token.text);
    Add(mention);
  }

  // A function that is declared, and no definition of the file; a destructor.
  bool IsDeclared(const Token& before) const {
    if (!Near(1).IsSign("(")) return false;
    return (before.IsSign("~") && Touches(-1)) || (!InFunction() && FollowsType());
  }

  // In PHP, `new $object->name(…)`: the name of a class is in the property.
  bool IsMadeOfProperty() const {
    return language_.group == Group::kPhp && Near(-1).IsSign("->") && Near(-3).IsSign("$") && Near(-4).text == "new";
  }

  bool IsCall() const {
    if (IsMadeOfProperty()) return false;
    if (Near(1).IsSign("(")) return !Near(1).is_made;
    switch (language_.group) {
      case Group::kRust:
        if (Near(1).IsSign("::") && Near(2).IsSign("<")) return IsGenericCall(2);
        return Near(1).IsSign("!") && (Near(2).IsSign("(") || Near(2).IsSign("[") || Near(2).IsSign("{"));
      case Group::kRuby:
        // A name in small letters that is no variable sends a message; behind a colon it is a symbol.
        if (!StartsLower(tokens_[at_].text)) return Near(1).IsSign(".") && Near(2).text == "new";
        return !IsSymbol() && Near(-1).text != "alias" && Near(-2).text != "alias";
      case Group::kJvm:
        if (IsKotlin() && Near(1).IsSign("{") && Near(1).line == tokens_[at_].line) return TakesLambda();
        return IsGenericCall(1);
      case Group::kPerl:
        return IsCallInPerl();
      case Group::kShell:
        return IsCommand();
      case Group::kC:
      case Group::kSharp:
      case Group::kScript:
        return IsGenericCall(1);
      default:
        return false;
    }
  }

  // A method without arguments, or a sub in small letters without parentheses; `\&name` calls nothing.
  bool IsCallInPerl() const {
    static constexpr std::array<std::string_view, 4> kBeforeModules = {"use", "no", "require", "package"};
    const Token& before = Near(-1);
    if (before.IsSign("->")) return true;
    if (before.IsSign("&") && Near(-2).IsSign("\\")) return false;
    if (Near(1).IsSign("::") || (before.IsName() && text::IsOneOf(before.text, kBeforeModules))) return false;
    return StartsLower(tokens_[at_].text);
  }

  // The first word of a command.
  bool IsCommand() const {
    static constexpr std::array<std::string_view, 8> kSigns = {";", "|", "&", "(", "{", "!", "`", ")"};
    static constexpr std::array<std::string_view, 9> kWords = {"then",  "do",    "else", "if",     "elif",
                                                               "while", "until", "time", "command"};
    const Token& token = tokens_[at_];
    if (Near(1).IsSign("=") && Touches(0)) return false;
    if (token.begins_line) return !Near(-1).IsSign("\\");
    const Token& before = Near(-1);
    // A word of which this is only a part.
    if (before.text.data() + before.text.size() == token.text.data() && !before.IsSign(";") && !before.IsSign("(") &&
        !before.IsSign("|") && !before.IsSign("&") && !before.IsSign("`")) {
      return false;
    }
    if (before.kind == Token::Kind::kSign) return text::IsOneOf(before.text, kSigns);
    return before.IsName() && text::IsOneOf(before.text, kWords);
  }

  bool IsSymbol() const { return Near(-1).IsSign(":") && Near(-1).text.data() + 1 == tokens_[at_].text.data(); }

  // `name { … }`, but not the body of a type or of a function with a type.
  bool TakesLambda() const {
    const Token& before = Near(-1);
    return !before.IsSign(":") && !before.IsSign(",") && before.text != "class" && before.text != "interface" &&
           before.text != "object" && before.text != "is" && before.text != "as" && before.text != "by";
  }

  // Type arguments from `ahead` on, and then a parenthesis.
  bool IsGenericCall(int ahead) const {
    constexpr int kMostTokens = 40;
    if (!Near(ahead).IsSign("<")) return false;
    int open = 0;
    for (const int end = ahead + kMostTokens; ahead < end; ++ahead) {
      const Token& token = Near(ahead);
      if (token.IsSign("<")) ++open;
      if (token.IsSign(">") && --open == 0) return Near(ahead + 1).IsSign("(") && !Near(ahead + 1).is_made;
      const bool is_sign = token.kind == Token::Kind::kSign && token.text != "::";
      if (is_sign && token.text.find_first_not_of("<>.,*&[]?|:'") != std::string_view::npos) return false;
      if (is_sign && token.text.empty()) return false;
      if (token.kind == Token::Kind::kSign && token.text == "&" && Near(ahead + 1).IsSign("&")) return false;
    }
    return false;
  }

  // A keyword argument or the key of an object: it names nothing.
  bool IsLabel(const Token& before) const {
    if (IsRuby()) return Near(1).IsSign(":") && !Near(2).IsSign(":") && Touches(0);
    if (language_.group == Group::kPerl) {
      return (before.IsSign("{") && Near(1).IsSign("}")) || (Near(1).IsSign("=") && Near(2).IsSign(">"));
    }
    if (!before.IsSign("(") && !before.IsSign(",") && !before.IsSign("{")) return false;
    if (language_.group == Group::kPython) return Near(1).IsSign("=") && !Near(2).IsSign("=");
    if (language_.group == Group::kPhp) return Near(1).IsSign(":") && !before.IsSign("{");
    if (language_.name == "C#") return Near(1).IsSign(":") && !before.IsSign("{");
    return language_.group == Group::kScript && Near(1).IsSign(":") && !before.IsSign("(");
  }

  bool DeclaresVariable(const Token& before) const {
    if (DeclaresVariables(before)) return true;
    switch (language_.group) {
      case Group::kC:
      case Group::kSharp:
        return FollowsType() || FollowsVariable();
      case Group::kJvm:
        return IsKotlin() ? IsLambdaParameter(before) : FollowsType() || FollowsVariable();
      case Group::kGo:
        return (Near(1).IsSign(":") && Near(2).IsSign("=")) || (Near(1).IsSign(",") && IsListBefore(":")) ||
               IsParameter(before);
      case Group::kPython:
        return IsAssigned(before) || IsParameter(before) || IsDeclaredInPython();
      case Group::kRuby:
        return IsAssignedInRuby(before);
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
    // Only C++ makes variables with arguments.
    if (Near(1).IsSign("(") && language_.group != Group::kC) return false;
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

  // `{ name, other -> …`
  bool IsLambdaParameter(const Token& before) const {
    if (!before.IsSign("{") && !before.IsSign(",")) return false;
    return StartsLower(tokens_[at_].text) && (Near(1).IsSign("->") || (Near(1).IsSign(",") && Near(3).IsSign("->")));
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
    if (!IsFunction(function)) return false;
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

  // `name = …`, `name ||= …`, `name, other = …`, `rescue Error => name`
  bool IsAssignedInRuby(const Token& before) const {
    if (!StartsLower(tokens_[at_].text) || IsSymbol() || before.IsSign("::")) return false;
    if (before.IsSign(">") && Near(-2).IsSign("=")) return IsRescued();
    if (EndsTarget(1)) return true;
    const bool begins = tokens_[at_].begins_line || before.IsSign(";") || before.IsSign("|") || before.IsSign("(") ||
                        before.IsSign("*") || before.IsSign(",");
    return begins && Near(1).IsSign(",") && IsListOfTargets();
  }

  // Whether an assignment is at `ahead`, and no comparison.
  bool EndsTarget(int ahead) const {
    static constexpr std::array<std::string_view, 7> kOperators = {"|", "&", "+", "-", "*", "/", "%"};
    if (Near(ahead).kind == Token::Kind::kSign && text::IsOneOf(Near(ahead).text, kOperators)) {
      if (!Touches(ahead)) return false;
      if (Near(ahead + 1).IsSign(Near(ahead).text)) {
        if (!Touches(++ahead)) return false;
      }
      return Near(ahead + 1).IsSign("=");
    }
    if (!Near(ahead).IsSign("=")) return false;
    const Token& next = Near(ahead + 1);
    return !Touches(ahead) || !(next.IsSign("=") || next.IsSign("~") || next.IsSign(">"));
  }

  // Names with commas to `sign` and "=".
  bool IsListBefore(std::string_view sign) const {
    int ahead = 1;
    while (ahead < kMostTargets && Near(ahead).IsSign(",") && Near(ahead + 1).IsName()) ahead += 2;
    return Near(ahead).IsSign(sign) && Near(ahead + 1).IsSign("=");
  }

  // Names to the next assignment in the line.
  bool IsListOfTargets() const {
    for (int ahead = 1; ahead < kMostTargets && Near(ahead).line == tokens_[at_].line; ++ahead) {
      if (Near(ahead).IsSign("=")) return EndsTarget(ahead);
      const bool is_part = Near(ahead).IsName() || Near(ahead).IsSign(",") || Near(ahead).IsSign("*") ||
                           Near(ahead).IsSign("(") || Near(ahead).IsSign(")") || Near(ahead).IsSign("@");
      if (!is_part || language_.IsKeyword(Near(ahead).text)) return false;
    }
    return false;
  }

  // `name, other = …`, `name: type`, `(name := …)`
  bool IsDeclaredInPython() const {
    const bool begins = tokens_[at_].begins_line && depth_ == 0;
    if (Near(1).IsSign(":")) return Near(2).IsSign("=") || (begins && Near(2).kind != Token::Kind::kSign);
    return begins && Near(1).IsSign(",") && IsListOfTargets();
  }

  bool IsRescued() const {
    for (int back = -1; back > -kMostTargets && Near(back).line == tokens_[at_].line; --back) {
      if (Near(back).IsName() && Near(back).text == "rescue") return true;
    }
    return false;
  }

  uint32_t Qualifier(const Token& token) {
    if (!token.IsName() || language_.IsKeyword(token.text) || token.text.size() > kMaxNameBytes) {
      return Mention::kNoName;
    }
    return Intern(token.text);
  }

  // `super.name`, `super().name`, `parent::name`
  bool IsOfBase() const {
    const Token& owner = Near(-2);
    switch (language_.group) {
      case Group::kPython:
        return owner.IsSign(")") && Near(-3).IsSign("(") && Near(-4).text == "super";
      case Group::kSharp:
        return owner.IsName() && owner.text == "base";
      case Group::kPhp:
        return owner.IsName() && owner.text == "parent";
      case Group::kJvm:
      case Group::kScript:
        return owner.IsName() && owner.text == "super";
      default:
        return false;
    }
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
  static constexpr int kMostTargets = 60;  // Tokens of a list of names that is read.

  size_t at_ = 0;
  std::pair<uint32_t, std::string_view> header_;  // The line that begins with the word.
  int depth_ = 0;                                 // Of parentheses.
  int declared_at_ = kNoDeclaration;              // The depth at which the present statement declares variables.
  size_t next_symbol_ = 0;
  std::vector<size_t> around_;
  std::vector<std::pair<size_t, size_t>> ranges_;                  // Of tokens, by symbol.
  std::vector<bool> bound_;                                        // Tokens that name a parameter or variable.
  absl::flat_hash_set<std::pair<int, std::string_view>> defined_;  // Names of symbols by line,
  absl::flat_hash_set<size_t> defined_tokens_;                     // or the tokens that name them.
  absl::flat_hash_set<std::pair<int, std::string_view>> locals_;   // By function.
  MentionList list_;
  absl::flat_hash_map<std::string_view, uint32_t> names_;
  absl::flat_hash_map<std::tuple<int, uint32_t, uint32_t, int, bool>, size_t> places_;
};

}  // namespace

MentionList ScanMentions(const std::vector<Token>& tokens, const Language& language,
                         const std::vector<SymbolFact>& symbols) {
  return MentionScan(tokens, language, symbols).Run();
}

}  // namespace toolgate::executors::code_graph::index
