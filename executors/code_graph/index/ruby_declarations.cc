#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "executors/code_graph/index/declaration_cursor.h"

namespace toolgate::executors::code_graph::index {
namespace {

bool IsRubyConstant(const Token& token) {
  return token.IsName() && absl::ascii_isupper(static_cast<unsigned char>(token.text.front()));
}

// Keeps what is open at each token: a block that "end" closes, a bracket, or a statement whose value is a definition's.
class RubyScan : private DeclarationCursor {
 public:
  using DeclarationCursor::DeclarationCursor;

  std::vector<Tag> Run() {
    for (size_t i = 0; i < size();) {
      EndStatements(i);
      i = std::max(Step(i), i + 1);
    }
    while (!open_.empty()) CloseLast(size());
    return TakeTags();
  }

 private:
  static constexpr size_t kNoTag = static_cast<size_t>(-1);

  enum class Until { kEnd, kBracket, kStatementEnds };

  struct Open {
    Until until = Until::kEnd;
    size_t close = 0;            // Of a bracket.
    size_t tag = kNoTag;         // The definition whose end it is.
    bool awaits_do = false;      // A loop, whose `do` is no block of its own.
    std::optional<Scope> outer;  // The scope behind it; without one it makes none.
  };

  // ---- What is open

  void OpenBlock(bool awaits_do = false) {
    Open block;
    block.awaits_do = awaits_do;
    open_.push_back(std::move(block));
  }

  // Takes everything to the end of `until` as the definition's whose tag is `tag`.
  void OpenDefinition(Until until, size_t tag, Scope outer, bool is_function) {
    Open definition;
    definition.until = until;
    definition.tag = tag;
    Enter(ScopeOf(tag, is_function));
    definition.outer = std::move(outer);
    open_.push_back(std::move(definition));
  }

  void CloseLast(size_t end) {
    Open last = std::move(open_.back());
    open_.pop_back();
    if (last.tag != kNoTag) SetEnd(last.tag, end);
    if (last.outer.has_value()) Enter(*std::move(last.outer));
  }

  void CloseStatementsAt(size_t at) {
    while (!open_.empty() && open_.back().until == Until::kStatementEnds) CloseLast(at);
  }

  // Ends what ends with the statement before `at`.
  void EndStatements(size_t at) {
    if (open_.empty()) return;
    if (!IsSign(at, ";") && (!At(at).begins_line || Continues(at))) return;
    CloseStatementsAt(at);
    if (!open_.empty()) open_.back().awaits_do = false;
  }

  // Whether a line that begins at `at` belongs to the statement before it.
  bool Continues(size_t at) const {
    if (at == 0) return false;
    if (IsSign(at, ".") && !IsSign(at + 1, ".")) return true;
    if (IsSign(at, "&") && IsSign(at + 1, ".")) return true;
    const Token& before = At(at - 1);
    if (before.kind == Token::Kind::kSign) return !text::IsOneOf(before.text, {")", "]", "}", ";"});
    return IsAnyWord(at - 1, {"and", "or", "not"});
  }

  // ---- Tokens

  size_t Step(size_t at) {
    if (At(at).kind == Token::Kind::kSign) return StepOverSign(at);
    if (!IsCode(at)) return at + 1;
    const std::string_view word = At(at).text;
    if (word == "end") return CloseBlock(at);
    if (word == "do") return ScanDo(at);
    if (word == "def") return ScanMethod(at);
    if (word == "class" || word == "module") return ScanType(at);
    if (word == "begin" || word == "case") OpenBlock();
    if (word == "for") OpenBlock(/*awaits_do=*/true);
    const bool is_loop = word == "while" || word == "until";
    if ((is_loop || word == "if" || word == "unless") && BeginsExpression(at)) OpenBlock(is_loop);
    return ScanStatement(at);
  }

  // Whether the name at `at` is no symbol, key, variable with a sigil, or method of another object.
  bool IsCode(size_t at) const {
    if (!IsName(at) || At(at).after_sigil) return false;
    if (at > 0 && (IsSign(at - 1, ".") || IsSign(at - 1, "::")) && !IsSign(at - 2, ".")) return false;
    return !IsSymbol(at) && !IsKey(at);
  }
  bool IsSymbol(size_t at) const { return at > 0 && IsSign(at - 1, ":") && Touch(at - 1, at); }
  bool IsKey(size_t at) const { return IsSign(at + 1, ":") && Touch(at, at + 1) && !IsSign(at + 2, ":"); }

  // Whether an expression begins at `at`: `if` and its like before another one are a block, behind one they are not.
  bool BeginsExpression(size_t at) const {
    if (at == 0) return true;
    const size_t before = IsSign(at - 1, "\\") ? at - 2 : at - 1;
    if (before == at - 1 && At(at).begins_line) return true;
    const Token& token = At(before);
    if (token.kind == Token::Kind::kSign) return !text::IsOneOf(token.text, {")", "]", "}"});
    return IsCode(before) && IsAnyWord(before, {"and", "begin", "do", "else", "ensure", "if", "in", "not", "or", "then",
                                                "unless", "until", "when", "while"});
  }

  size_t StepOverSign(size_t at) {
    if (Opens(at) && Close(at) != at) {
      Open bracket;
      bracket.until = Until::kBracket;
      bracket.close = Close(at);
      open_.push_back(std::move(bracket));
      brackets_.push_back(open_.size());
      return at + 1;
    }
    if (brackets_.empty() || open_[brackets_.back() - 1].close != at) return at + 1;
    while (open_.size() > brackets_.back()) CloseLast(at);
    CloseLast(at + 1);
    brackets_.pop_back();
    return at + 1;
  }

  // An `end` whose begin is outside of the brackets around it closes nothing.
  size_t CloseBlock(size_t at) {
    CloseStatementsAt(at);
    if (!open_.empty() && open_.back().until == Until::kEnd) CloseLast(at + 1);
    return at + 1;
  }

  size_t ScanDo(size_t at) {
    if (!open_.empty() && open_.back().awaits_do) {
      open_.back().awaits_do = false;
    } else {
      OpenBlock();
    }
    return at + 1;
  }

  bool BeginsStatement(size_t at) const {
    return at == 0 || At(at).begins_line || IsSign(at - 1, ";") ||
           IsAnyWord(at - 1, {"private", "protected", "public", "private_class_method", "then", "else", "do"});
  }

  // Statements of a class, or of the file, that define something.
  size_t ScanStatement(size_t at) {
    const std::string_view word = At(at).text;
    if (word == "define_method") return ScanDefinedMethod(at);
    if (scope().is_function || !BeginsStatement(at)) return at + 1;
    if (word == "alias" || word == "alias_method") return ScanAlias(at);
    if (text::IsOneOf(word, {"attr", "attr_reader", "attr_writer", "attr_accessor"})) return ScanAccessors(at);
    if (text::IsOneOf(word, {"include", "extend", "prepend"})) return ScanMixin(at);
    if (IsRubyConstant(At(at))) return ScanConstant(at);
    return at + 1;
  }

  // ---- Types

  // `A::B`, of which all but the last name are added to the present scope; the position of the last.
  size_t EnterPath(size_t at) {
    size_t i = IsSign(at, "::") ? at + 1 : at;
    for (; IsName(i) && IsSign(i + 1, "::") && IsName(i + 2); i += 2) EnterOwner(At(i).text, "class");
    return i;
  }

  void EnterOwner(std::string_view name, std::string_view kind) {
    Scope inner = scope();
    if (inner.qualified_name.size() > kMaxScopeBytes) return;
    if (!inner.qualified_name.empty()) inner.qualified_name += '.';
    inner.qualified_name += name;
    inner.kind = kind;
    Enter(std::move(inner));
  }

  // The path of a constant at `at`, with "::".
  std::string PathAt(size_t at) const {
    std::string path;
    size_t i = IsSign(at, "::") ? at + 1 : at;
    while (IsName(i)) {
      path += At(i).text;
      if (!IsSign(i + 1, "::")) break;
      path += "::";
      i += 2;
    }
    return path;
  }

  size_t ScanType(size_t at) {
    Scope outer = scope();
    if (IsWord(at, "class") && IsSign(at + 1, "<") && IsSign(at + 2, "<")) {
      // Methods of the object, which is mostly the class around.
      Scope inner = outer;
      inner.kind = kSingleton;
      inner.is_function = false;
      Enter(std::move(inner));
      OpenBlock();
      open_.back().outer = std::move(outer);
      return at + 3;
    }
    const size_t name = EnterPath(at + 1);
    if (!IsName(name) || At(name).begins_line) {
      Enter(std::move(outer));
      return at + 1;
    }
    const size_t index = AddTag(At(name).text, At(at).text, at, name);
    const size_t base = name + 2;
    const bool has_base = IsSign(name + 1, "<") && !At(name + 1).begins_line;
    if (has_base) tag(index).inherits = PathAt(base);
    OpenDefinition(Until::kEnd, index, std::move(outer), /*is_function=*/false);
    if (has_base) AddMembersOfStruct(base);
    return name + 1;
  }

  // `Struct.new(:a, :b)` at `at` declares members in the present scope.
  void AddMembersOfStruct(size_t at) {
    if (!IsAnyWord(at, {"Struct", "Data"}) || !IsSign(at + 1, ".") || !IsAnyWord(at + 2, {"new", "define"})) return;
    const size_t open = at + 3;
    if (!IsSign(open, "(")) return;
    for (size_t i = open + 1; i < Close(open); i = Behind(i)) {
      if (IsName(i) && IsSymbol(i)) AddTag(At(i).text, "accessor", i, i);
    }
  }

  // A module whose methods the present type has.
  size_t ScanMixin(size_t at) {
    if (open_.empty() || open_.back().tag == kNoTag) return at + 1;
    std::string& bases = tag(open_.back().tag).inherits;
    size_t i = IsSign(at + 1, "(") ? at + 2 : at + 1;
    while ((IsRubyConstant(At(i)) || IsSign(i, "::")) && bases.size() < kMaxBasesBytes) {
      const std::string path = PathAt(i);
      absl::StrAppend(&bases, bases.empty() ? "" : ",", path);
      while (IsName(i) || IsSign(i, "::")) {
        if (At(i + 1).begins_line || (IsName(i) && !IsSign(i + 1, "::"))) break;
        ++i;
      }
      if (!IsSign(i + 1, ",")) break;
      i += 2;
    }
    return at + 1;
  }

  // ---- Methods

  // The position behind the name at `at`, which may be an operator; `at` when there is none.
  size_t BehindMethodName(size_t at) const {
    if (IsName(at)) {
      const bool is_setter = IsSign(at + 1, "=") && Touch(at, at + 1) && !IsSign(at + 2, "=") && !IsArrow(at + 1);
      return is_setter ? at + 2 : at + 1;
    }
    size_t i = at;
    while (At(i).kind == Token::Kind::kSign && IsOperator(At(i).text) && (i == at || Touch(i - 1, i))) ++i;
    return i;
  }
  static bool IsOperator(std::string_view sign) {
    return sign.size() == 1 && std::string_view("+-*/%<>=!~^&|[]@`").find(sign) != std::string_view::npos;
  }

  // The scope of `def receiver.name`; the position of the name.
  size_t EnterReceiver(size_t at) {
    if (IsSign(at, "(")) return IsSign(Behind(at), ".") ? Behind(at) + 1 : at;
    while (IsSign(at, "@") || IsSign(at, "$")) ++at;
    if (!IsName(at) || !Touch(at, at + 1) || !(IsSign(at + 1, ".") || IsSign(at + 1, "::"))) return at;
    const std::string_view receiver = At(at).text;
    const std::string_view around = scope().qualified_name;
    const bool is_around = around == receiver || around.ends_with(absl::StrCat(".", ToAbsl(receiver)));
    if (IsRubyConstant(At(at)) && !is_around) EnterOwner(receiver, "class");
    return at + 2;
  }

  size_t ScanMethod(size_t at) {
    Scope outer = scope();
    const size_t name = EnterReceiver(at + 1);
    const size_t behind = BehindMethodName(name);
    if (behind == name) {
      Enter(std::move(outer));
      return at + 1;
    }
    const bool is_singleton = name > at + 1 || outer.kind == kSingleton;
    const size_t index = AddTag("", is_singleton ? "singletonMethod" : "method", at, name);
    tag(index).name = IsName(name) && behind == name + 1 ? std::string(At(name).text) : TextOf(name, behind);
    const size_t body = ScanParameters(index, behind);
    const bool is_endless = IsSign(body, "=") && !At(body).begins_line;
    OpenDefinition(is_endless ? Until::kStatementEnds : Until::kEnd, index, std::move(outer), /*is_function=*/true);
    return is_endless ? body + 1 : body;
  }

  // Parameters at `at`, in parentheses or without. Returns the position behind them.
  size_t ScanParameters(size_t index, size_t at) {
    if (IsSign(at, "(") && !At(at).begins_line && Close(at) != at) {
      tag(index).signature = TextOf(at, Close(at) + 1);
      return Behind(at);
    }
    tag(index).signature = "()";
    if (At(at).begins_line || IsSign(at, ";") || IsSign(at, "=") || at >= size()) return at;
    size_t i = at;
    while (i < size() && !IsSign(i, ";") && (!At(i).begins_line || IsSign(i - 1, ","))) i = Behind(i);
    tag(index).signature = absl::StrCat("(", TextOf(at, i), ")");
    return i;
  }

  // `define_method(:name) { … }`
  size_t ScanDefinedMethod(size_t at) {
    const bool has_parentheses = IsSign(at + 1, "(");
    size_t name = has_parentheses ? at + 2 : at + 1;
    if (IsSign(name, ":")) ++name;
    const bool is_literal = At(name).kind == Token::Kind::kString || (IsName(name) && IsSymbol(name));
    const bool has_code = IsSign(name + 1, "(") && At(name + 1).is_made;
    if (!is_literal || has_code || At(name).text.empty()) return at + 1;
    const size_t index = AddTag(At(name).text, "method", at, name);
    const size_t body = has_parentheses ? Behind(at + 1) : name + 1;
    SetEnd(index, body);
    if (IsWord(body, "do")) {
      OpenDefinition(Until::kEnd, index, scope(), /*is_function=*/true);
      return body + 1;
    }
    if (!IsSign(body, "{") || Close(body) == body) return name + 1;
    StepOverSign(body);
    open_.back().outer = scope();
    open_.back().tag = index;
    Enter(ScopeOf(index, true));
    return body + 1;
  }

  size_t ScanAlias(size_t at) {
    size_t name = IsSign(at + 1, "(") ? at + 2 : at + 1;
    if (IsSign(name, ":")) ++name;
    if (!IsName(name) || At(name).after_sigil) return at + 1;
    AddTag(At(name).text, "alias", at, name);
    return name + 1;
  }

  // `attr_reader :a, "b"`
  size_t ScanAccessors(size_t at) {
    const bool reads = !IsWord(at, "attr_writer");
    const bool writes = IsAnyWord(at, {"attr_writer", "attr_accessor"});
    size_t i = IsSign(at + 1, "(") ? at + 2 : at + 1;
    while (true) {
      if (IsSign(i, ":")) ++i;
      const bool is_name = (IsName(i) && IsSymbol(i)) || At(i).kind == Token::Kind::kString;
      if (!is_name || At(i).text.empty()) return i;
      if (reads) AddTag(At(i).text, "accessor", at, i);
      if (writes) tag(AddTag(At(i).text, "accessor", at, i)).name += '=';
      if (!IsSign(i + 1, ",")) return i + 1;
      i += 2;
    }
  }

  // ---- Constants

  // `NAME = value`, `A::NAME ||= value`
  size_t ScanConstant(size_t at) {
    Scope outer = scope();
    const size_t name = EnterPath(at);
    size_t sign = name + 1;
    if (IsSign(sign, "|") && IsSign(sign + 1, "|")) sign += 2;
    const bool is_assigned =
        IsRubyConstant(At(name)) && IsSign(sign, "=") && !At(sign).begins_line &&
        !(Touch(sign, sign + 1) && (IsSign(sign + 1, "=") || IsSign(sign + 1, "~") || IsSign(sign + 1, ">")));
    if (!is_assigned) {
      Enter(std::move(outer));
      return at + 1;
    }
    const size_t value = sign + 1;
    const std::string_view type = TypeMadeAt(value);
    const size_t index = AddTag(At(name).text, type.empty() ? "constant" : type, at, name);
    if (type.empty()) {
      Open statement;
      statement.until = Until::kStatementEnds;
      statement.tag = index;
      Enter(std::move(outer));
      open_.push_back(std::move(statement));
      return value;
    }
    if (IsWord(value, "Class") && IsSign(value + 3, "(")) tag(index).inherits = PathAt(value + 4);
    OpenDefinition(Until::kStatementEnds, index, std::move(outer), /*is_function=*/false);
    AddMembersOfStruct(value);
    return value;
  }

  // The kind of type that `Class.new` and its like make; empty for anything else.
  std::string_view TypeMadeAt(size_t at) const {
    if (!IsSign(at + 1, ".")) return "";
    if (IsWord(at + 2, "define")) return IsWord(at, "Data") ? "class" : "";
    if (!IsWord(at + 2, "new")) return "";
    if (IsAnyWord(at, {"Class", "Struct"})) return "class";
    return IsWord(at, "Module") ? "module" : "";
  }

  static constexpr char kSingleton[] = "singleton";
  static constexpr size_t kMaxScopeBytes = 1000;
  static constexpr size_t kMaxBasesBytes = 2000;

  std::vector<Open> open_;
  std::vector<size_t> brackets_;  // The sizes of `open_` with each bracket that is open.
};

}  // namespace

std::vector<Tag> ScanRuby(const std::vector<Token>& tokens, const Language& language) {
  return RubyScan(tokens, language).Run();
}

}  // namespace toolgate::executors::code_graph::index
