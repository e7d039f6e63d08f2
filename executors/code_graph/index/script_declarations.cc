#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/words.h"
#include "executors/code_graph/index/script_expressions.h"

namespace toolgate::executors::code_graph::index {
namespace {

constexpr std::array<std::string_view, 12> kModifiers = {"export",   "default",  "declare", "abstract",
                                                         "public",   "private",  "static",  "protected",
                                                         "readonly", "override", "async",   "accessor"};

// JavaScript and TypeScript.
class ScriptScan final : public ScriptExpressions {
 public:
  using ScriptExpressions::ScriptExpressions;

  std::vector<Tag> Run() {
    ScanCode(0, size());
    return TakeTags();
  }

 private:
  // ---- Symbols

  size_t AddFunction(std::string_view name, std::string_view kind, size_t first, size_t at_name, const Literal& literal,
                     size_t end) {
    const size_t index = AddTag(name, literal.is_generator ? "generator" : kind, first, at_name);
    tag(index).file_scope = scope().is_function && scope().kind != "object";
    tag(index).signature = IsSign(literal.parameters, "(") ? TextOf(literal.parameters, Close(literal.parameters) + 1)
                                                           : "(" + std::string(At(literal.parameters).text) + ")";
    SetEnd(index, end);
    ScanLiteral(literal, ScopeOf(index, /*is_function=*/true));
    return index;
  }

  // The parameters and the body, in `inner`.
  void ScanLiteral(const Literal& literal, const Scope& inner) {
    const Scope outer = Enter(inner);
    if (IsSign(literal.parameters, "(")) ScanCode(literal.parameters + 1, Close(literal.parameters));
    if (IsSign(literal.body, "{")) {
      ScanCode(literal.body + 1, Close(literal.body));
    } else {
      ScanCode(literal.body, literal.end);
    }
    Enter(outer);
  }

  // Code that is no symbol's own, as of a callback: it belongs to the variable around it, outside of functions.
  void NoteCode(size_t first, size_t end) {
    if (variable_ == kNoVariable || scope().is_function) return;
    Tag& owner = tag(variable_);
    if (owner.end_code == 0) owner.first_code = first;
    owner.end_code = std::max(owner.end_code, end);
  }

  // ---- Code

  void ScanCode(size_t first, size_t end) {
    const Level level(depth_);
    if (level.too_deep()) return;
    for (size_t i = first; i < end;) i = std::max(ScanStatement(i, end), i + 1);
  }

  // Returns the position behind what it took: a declaration, or one token or bracket of something else.
  size_t ScanStatement(size_t at, size_t end) {
    const bool is_member = at > 0 && (IsSign(at - 1, ".") || IsSign(at - 1, "->"));
    if (IsName(at) && !is_member && !IsSign(at + 1, ":")) {
      if (const size_t behind = ScanDeclaration(at, end); behind > at) return behind;
    }
    if (IsSign(at, "@") && IsName(at + 1)) return at + 2;
    if (const Literal literal = LiteralAt(at, end); literal.exists() && !is_member) {
      NoteCode(at, literal.end);
      // In the scope around it, but within a function.
      Scope inner = scope();
      const bool is_bound = variable_ != kNoVariable && !inner.is_function;
      if (is_bound) inner = ScopeOf(variable_, true);
      ScanLiteral(literal, inner);
      return literal.end;
    }
    if (IsSign(at, "{") && IsObject(at)) {
      // Of the arguments of a call in a function, callbacks belong to that function.
      if (!scope().is_function || IsReturned(at)) {
        ScanObject(at);
      } else {
        ScanCode(at + 1, Close(at));
      }
      return Behind(at);
    }
    if (Opens(at)) {
      ScanCode(at + 1, Close(at));
      return Behind(at);
    }
    if (IsName(at) || At(at).kind == Token::Kind::kSign) return ScanAssignment(at, end);
    return at + 1;
  }

  // Whether a brace opens an object, not a block.
  bool IsObject(size_t at) const {
    if (at == 0) return false;
    const Token& before = At(at - 1);
    if (before.IsSign(")") || before.IsSign("{") || before.IsSign("}") || before.IsSign(";")) return false;
    if (before.IsSign(">") && at > 1 && IsArrow(at - 2)) return false;
    if (before.kind == Token::Kind::kSign) return true;
    return IsAnyWord(at - 1, {"return", "default", "yield", "await"});
  }

  bool IsReturned(size_t at) const {
    return IsWord(at - 1, "return") || (IsSign(at - 1, "(") && at > 3 && IsArrow(at - 3));
  }

  size_t ScanDeclaration(size_t at, size_t end) {
    size_t i = at;
    while (text::IsOneOf(At(i).text, kModifiers) && IsName(i) && IsName(i + 1) && i < end) ++i;
    const Token& word = At(i);
    const bool is_default = i > at && IsWord(i - 1, "default");
    if (word.text == "import") return BehindImport(i, end);
    if (word.text == "function" && (IsName(i + 1) || IsSign(i + 1, "*"))) return ScanFunction(at, i, end);
    if (word.text == "class" && (IsName(i + 1) || IsSign(i + 1, "{"))) return ScanClass(at, i, end, "default");
    if (word.text == "interface" && IsName(i + 1)) return ScanInterface(at, i, end);
    if (word.text == "type" && IsName(i + 1) && (IsSign(i + 2, "=") || IsSign(i + 2, "<"))) {
      return ScanAlias(at, i, end);
    }
    if (word.text == "const" && IsWord(i + 1, "enum")) ++i;
    if (At(i).text == "enum" && IsName(i + 1) && IsSign(i + 2, "{")) return ScanEnum(at, i);
    if ((word.text == "namespace" || word.text == "module") && IsName(i + 1) && !BeginsLine(i + 1)) {
      return ScanNamespace(at, i, end);
    }
    if (word.text == "const" || word.text == "let" || word.text == "var") {
      if (IsName(i + 1) || IsSign(i + 1, "{") || IsSign(i + 1, "[")) return ScanVariables(at, i, end);
    }
    if (is_default || (i > at && word.text == "default")) return ScanDefault(at, is_default ? i : i + 1, end);
    if (word.text == "default" && i > 0 && IsWord(i - 1, "export")) return ScanDefault(at, i + 1, end);
    if (word.text == "export" && IsWord(i + 1, "default")) return ScanDefault(at, i + 2, end);
    return at;
  }

  // `import … from 'x'`, but not `import('x')`, nor `import.meta`.
  size_t BehindImport(size_t at, size_t end) const {
    if (IsSign(at + 1, "(") || IsSign(at + 1, ".")) return at + 1;
    size_t i = at + 1;
    while (i < end && At(i).kind != Token::Kind::kString && !IsSign(i, ";")) i = Behind(i);
    return std::min(i + 1, end);
  }

  size_t ScanFunction(size_t first, size_t at, size_t end) {
    const size_t name = IsSign(at + 1, "*") ? at + 2 : at + 1;
    const Literal literal = FunctionAt(at, end);
    if (!literal.exists()) return at + 1;
    const bool has_name = IsName(name);
    // A signature before the function itself: an overload.
    size_t next = literal.end;
    if (IsSign(next, ";")) ++next;
    while (IsAnyWord(next, {"export", "async", "declare", "default"})) ++next;
    const bool is_overload =
        !IsSign(literal.body, "{") && IsWord(next, "function") && has_name && At(next + 1).text == At(name).text;
    if (is_overload) return literal.end;
    AddFunction(has_name ? At(name).text : "default", "function", first, has_name ? name : at, literal, literal.end);
    return literal.end;
  }

  size_t ScanDefault(size_t first, size_t at, size_t end) {
    if (IsWord(at, "class") && !IsName(at + 1)) return ScanClass(first, at, end, "default");
    if (const Literal literal = WrappedLiteralAt(at, end); literal.exists()) {
      const size_t behind = BehindExpression(at, end);
      AddFunction("default", "function", first, at, literal, behind);
      return behind;
    }
    if (IsSign(at, "{")) {
      if (!scope().is_function) ScanObject(at);
      return Behind(at);
    }
    return at;
  }

  size_t ScanClass(size_t first, size_t at, size_t end, std::string_view name_of_none) {
    const bool has_name = IsName(at + 1) && At(at + 1).text != "extends" && At(at + 1).text != "implements";
    const size_t name = has_name ? at + 1 : at;
    const size_t index = AddTag(has_name ? At(name).text : name_of_none, "class", first, name);
    size_t i = BehindAngles(name + 1);
    tag(index).inherits = Bases(i, end);
    while (i < end && !IsSign(i, "{") && !IsSign(i, ";")) i = IsSign(i, "(") || IsSign(i, "[") ? Behind(i) : i + 1;
    if (!IsSign(i, "{")) return i;
    SetEnd(index, Behind(i));
    ScanMembers(index, i, /*is_type=*/false);
    return Behind(i);
  }

  // Names behind "extends" and "implements", as universal-ctags joins them. `at` is moved behind them.
  std::string Bases(size_t& at, size_t end) const {
    std::string bases;
    while (at < end && IsAnyWord(at, {"extends", "implements"})) {
      do {
        ++at;
        std::string base;
        while (IsName(at) && At(at).text != "implements" && At(at).text != "extends") {
          base += At(at).text;
          ++at;
          if (!IsSign(at, ".")) break;
          base += '.';
          ++at;
        }
        at = BehindAngles(at);
        if (IsSign(at, "(")) at = Behind(at);
        if (base.empty()) continue;
        if (!bases.empty()) bases += ',';
        bases += base;
      } while (at < end && IsSign(at, ","));
    }
    return bases;
  }

  size_t ScanInterface(size_t first, size_t at, size_t end) {
    const size_t index = AddTag(At(at + 1).text, "interface", first, at + 1);
    size_t i = BehindAngles(at + 2);
    tag(index).inherits = Bases(i, end);
    if (!IsSign(i, "{")) return i;
    SetEnd(index, Behind(i));
    ScanMembers(index, i, /*is_type=*/true);
    return Behind(i);
  }

  size_t ScanAlias(size_t first, size_t at, size_t end) {
    const size_t index = AddTag(At(at + 1).text, "alias", first, at + 1);
    size_t i = BehindAngles(at + 2);
    if (IsSign(i, "=")) i = BehindType(i + 1);
    SetEnd(index, std::min(i, end));
    return std::min(i, end);
  }

  size_t ScanEnum(size_t first, size_t at) {
    const size_t index = AddTag(At(at + 1).text, "enum", first, at + 1);
    const size_t open = at + 2;
    SetEnd(index, Behind(open));
    const Scope outer = Enter(ScopeOf(index, scope().is_function));
    for (size_t i = open + 1; i < Close(open);) {
      if (At(i).kind != Token::Kind::kSign) AddTag(At(i).text, "enumerator", i, i);
      while (i < Close(open) && !IsSign(i, ",")) i = Behind(i);
      ++i;
    }
    Enter(outer);
    return Behind(open);
  }

  size_t ScanNamespace(size_t first, size_t at, size_t end) {
    size_t i = at + 1;
    std::string name;
    for (; i < end && (IsName(i) || IsSign(i, ".")); ++i) name += At(i).text;
    if (!IsSign(i, "{")) return at + 1;
    const size_t index = AddTag(name, "namespace", first, at + 1);
    SetEnd(index, Behind(i));
    const Scope outer = Enter(ScopeOf(index, scope().is_function));
    ScanCode(i + 1, Close(i));
    Enter(outer);
    return Behind(i);
  }

  // ---- Variables

  size_t ScanVariables(size_t first, size_t at, size_t end) {
    const std::string_view kind = At(at).text == "const" ? "constant" : "variable";
    size_t i = at + 1;
    while (true) {
      i = ScanVariable(first, i, end, kind);
      if (!IsSign(i, ",") || i >= end) break;
      first = ++i;
      if (!IsName(i) && !IsSign(i, "{") && !IsSign(i, "[")) break;
    }
    return std::max(i, at + 1);
  }

  size_t ScanVariable(size_t first, size_t at, size_t end, std::string_view kind) {
    const bool is_pattern = !IsName(at);
    size_t i = Behind(at);
    if (IsSign(i, "!")) ++i;
    if (IsSign(i, ":")) i = BehindType(i + 1);
    const bool has_value = IsSign(i, "=") && !IsArrow(i);
    const size_t value = i + 1;
    if (has_value && !is_pattern) {
      if (const Literal literal = WrappedLiteralAt(value, end); literal.exists()) {
        const size_t behind = BehindExpression(value, end);
        AddFunction(At(at).text, "function", first, at, literal, behind);
        return behind;
      }
      if (IsWord(value, "class")) {
        return ScanBoundClass(first, at, value, end);
      }
    }
    const size_t behind = has_value ? BehindExpression(value, end) : i;
    const size_t outer_variable = variable_;
    const bool is_of_loop = first > 0 && IsSign(first - 1, "(");
    if (!scope().is_function && !is_of_loop) {
      if (is_pattern) {
        AddPattern(first, at, kind);
      } else {
        variable_ = AddTag(At(at).text, kind, first, at);
        SetEnd(variable_, behind);
      }
    }
    if (has_value && IsSign(value, "{") && !is_pattern) {
      ScanBoundObject(at, value);
    } else if (has_value) {
      ScanCode(value, behind);
    }
    variable_ = outer_variable;
    return behind;
  }

  // A class expression has the name of its variable.
  size_t ScanBoundClass(size_t first, size_t name, size_t at, size_t end) {
    const size_t index = AddTag(At(name).text, "class", first, name);
    size_t i = at + 1;
    if (IsName(i) && At(i).text != "extends" && At(i).text != "implements") ++i;
    i = BehindAngles(i);
    tag(index).inherits = Bases(i, end);
    if (!IsSign(i, "{")) return i;
    SetEnd(index, Behind(i));
    ScanMembers(index, i, /*is_type=*/false);
    return Behind(i);
  }

  void AddPattern(size_t first, size_t at, std::string_view kind) {
    const size_t close = Close(at);
    for (size_t i = at + 1; i < close; ++i) {
      const bool is_bound = IsSign(i + 1, ",") || IsSign(i + 1, "}") || IsSign(i + 1, "]") || IsSign(i + 1, "=");
      if (!IsName(i) || !is_bound) continue;
      AddTag(At(i).text, kind, first, i);
      while (i < close && !IsSign(i, ",")) i = IsSign(i, "}") || IsSign(i, "]") ? i + 1 : Behind(i);
    }
  }

  // `a.b.c = function …`, `exports.a = …`: a function of `a.b`. Returns the next position.
  size_t ScanAssignment(size_t at, size_t end) {
    if (!IsName(at) || (at > 0 && IsSign(at - 1, "."))) return at + 1;
    size_t last = at;
    while (IsSign(last + 1, ".") && IsName(last + 2)) last += 2;
    if (!IsSign(last + 1, "=") || IsSign(last + 2, "=") || IsArrow(last + 1)) return at + 1;
    const size_t value = last + 2;
    const bool is_exports = IsWord(last, "exports") && (last == at || IsWord(at, "module"));
    if (is_exports && IsSign(value, "{") && !scope().is_function) {
      ScanObject(value);
      return Behind(value);
    }
    if (last == at && !is_exports) return at + 1;
    const Literal literal = WrappedLiteralAt(value, end);
    if (!literal.exists()) return last + 1;
    const size_t behind = BehindExpression(value, end);
    AddAssigned(at, last, is_exports, literal, behind);
    return behind;
  }

  void AddAssigned(size_t at, size_t last, bool is_exports, const Literal& literal, size_t behind) {
    std::string_view name = is_exports ? "default" : At(last).text;
    // The name that the function gives itself.
    if (is_exports && literal.parameters > 1 && IsName(literal.parameters - 1) &&
        At(literal.parameters - 1).text != "function" && At(literal.parameters - 1).text != "async") {
      name = At(literal.parameters - 1).text;
    }
    std::string owner;
    bool is_prototype = false;
    for (size_t i = at; i < last; i += 2) {
      if (IsAnyWord(i, {"exports", "module", "this", "window", "global", "globalThis"})) continue;
      if (IsWord(i, "prototype")) {
        is_prototype = true;
        continue;
      }
      if (!owner.empty()) owner += '.';
      owner += At(i).text;
    }
    const Scope outer = scope();
    if (!owner.empty()) Enter({owner, is_prototype ? "class" : "object", outer.is_function});
    AddFunction(name, is_prototype ? "method" : "function", at, last, literal, behind);
    Enter(outer);
  }

  // ---- Members

  // The object that is bound to the name at `at`.
  void ScanBoundObject(size_t at, size_t open) {
    Scope inner = scope();
    if (!inner.qualified_name.empty()) inner.qualified_name += '.';
    inner.qualified_name += At(at).text;
    inner.kind = "object";
    const Scope outer = Enter(std::move(inner));
    ScanObject(open);
    Enter(outer);
  }

  // Functions among the values of an object, and what is in them.
  void ScanObject(size_t open) {
    const Level level(depth_);
    if (level.too_deep()) return;
    const size_t close = Close(open);
    for (size_t i = open + 1; i < close;) {
      const size_t first = i;
      if (IsSign(i, ",")) {
        ++i;
        continue;
      }
      while (IsAnyWord(i, {"async", "get", "set"}) && !IsSign(i + 1, "(") && !IsSign(i + 1, ":") &&
             !IsSign(i + 1, ",") && !IsSign(i + 1, "}")) {
        ++i;
      }
      const bool is_generator = IsSign(i, "*");
      if (is_generator) ++i;
      const size_t name = i;
      if (IsSign(i, ".") || (At(i).kind == Token::Kind::kSign && !IsSign(i, "["))) {
        // `...spread`, and what is no member.
        const size_t behind = BehindExpression(i + 1, close);
        ScanCode(i + 1, behind);
        i = std::max(behind, first + 1);
        continue;
      }
      i = BehindAngles(Behind(i));
      if (IsSign(i, "(")) {
        i = ScanMethod(first, name, i, close, "function", is_generator);
        continue;
      }
      if (!IsSign(i, ":")) {
        i = std::max(BehindExpression(i, close), first + 1);
        continue;
      }
      const size_t value = i + 1;
      const size_t behind = std::max(BehindExpression(value, close), value);
      const Literal literal = WrappedLiteralAt(value, close);
      if (literal.exists() && At(name).kind != Token::Kind::kSign) {
        AddFunction(At(name).text, "function", first, name, literal, behind);
      } else if (IsSign(value, "{") && Behind(value) == behind && At(name).kind != Token::Kind::kSign) {
        Scope inner = scope();
        if (!inner.qualified_name.empty()) inner.qualified_name += ".";
        inner.qualified_name += At(name).text.substr(0, 100);
        inner.kind = "object";
        const Scope outer = Enter(std::move(inner));
        ScanObject(value);
        Enter(outer);
      } else {
        ScanCode(value, behind);
      }
      i = std::max(behind, first + 1);
    }
  }

  // From the name at `name` with parameters at `open`. Returns the position behind it.
  size_t ScanMethod(size_t first, size_t name, size_t open, size_t end, std::string_view kind, bool is_generator) {
    Literal literal;
    literal.parameters = open;
    literal.is_generator = is_generator;
    size_t i = Behind(open);
    if (IsSign(i, ":")) i = BehindType(i + 1);
    literal.body = i;
    literal.end = std::min(IsSign(i, "{") ? Behind(i) : i, end);
    if (literal.end <= open) return open + 1;
    if (At(name).kind == Token::Kind::kSign) {
      if (IsSign(i, "{")) ScanCode(i + 1, Close(i));
      return literal.end;
    }
    const bool is_signature = !IsSign(i, "{");
    size_t next = literal.end;
    while (IsSign(next, ";") || (IsName(next) && text::IsOneOf(At(next).text, kModifiers) && IsName(next + 1))) ++next;
    const bool is_overload = is_signature && kind == "method" && scope().kind == "class" && IsName(next) &&
                             At(next).text == At(name).text && IsSign(BehindAngles(next + 1), "(");
    if (is_overload) return literal.end;
    AddFunction(At(name).text, kind, first, name, literal, literal.end);
    if (IsWord(name, "constructor")) AddParameterProperties(open);
    return literal.end;
  }

  // `constructor(private readonly name: Type)`
  void AddParameterProperties(size_t open) {
    for (size_t i = open + 1; i < Close(open); i = Behind(i)) {
      if (!IsAnyWord(i, {"private", "public", "protected", "readonly"})) continue;
      const size_t first = i;
      while (IsAnyWord(i, {"private", "public", "protected", "readonly", "override"})) ++i;
      if (!IsName(i)) continue;
      const size_t index = AddTag(At(i).text, "property", first, i);
      if (IsSign(i + 1, ":")) SetEnd(index, std::min(BehindType(i + 2), Close(open)));
    }
  }

  void ScanMembers(size_t owner, size_t open, bool is_type) {
    const Level level(depth_);
    if (level.too_deep()) return;
    const Scope outer = Enter(ScopeOf(owner, false));
    const size_t outer_variable = std::exchange(variable_, kNoVariable);
    const size_t close = Close(open);
    for (size_t i = open + 1; i < close;) i = std::max(ScanMember(i, close, is_type), i + 1);
    variable_ = outer_variable;
    Enter(outer);
  }

  // Whether a word at `at` stands before the name of a member.
  bool IsModifier(size_t at) const {
    const bool is_word = IsName(at) && (text::IsOneOf(At(at).text, kModifiers) || IsAnyWord(at, {"get", "set"}));
    if (!is_word) return false;
    const size_t next = at + 1;
    return IsName(next) || At(next).kind == Token::Kind::kString || IsSign(next, "[") || IsSign(next, "#") ||
           IsSign(next, "*") || (IsSign(next, "{") && IsWord(at, "static"));
  }

  size_t ScanMember(size_t at, size_t end, bool is_type) {
    size_t i = at;
    while (IsSign(i, "@")) i = BehindDecorator(i);
    const size_t first = i;
    std::string_view accessor;
    while (i < end && IsModifier(i)) {
      if (IsAnyWord(i, {"get", "set"})) accessor = At(i).text == "get" ? "getter" : "setter";
      ++i;
    }
    if (IsSign(i, "{")) {
      ScanCode(i + 1, Close(i));
      return Behind(i);
    }
    const bool is_generator = IsSign(i, "*");
    if (is_generator) ++i;
    if (IsSign(i, "#")) ++i;
    const size_t name = i;
    if (i >= end || (At(i).kind == Token::Kind::kSign && !IsSign(i, "["))) return i + 1;
    i = Behind(i);
    if (IsSign(i, "?") || IsSign(i, "!")) ++i;
    const size_t open = BehindAngles(i);
    if (IsSign(open, "(")) {
      return ScanMethod(first, name, open, end, accessor.empty() ? "method" : accessor, is_generator);
    }
    return ScanField(first, name, i, end, is_type);
  }

  size_t BehindDecorator(size_t at) const {
    size_t i = at + 1;
    if (IsSign(i, "(")) return Behind(i);
    while (IsName(i) && IsSign(i + 1, ".")) i += 2;
    ++i;
    return IsSign(i, "(") ? Behind(i) : i;
  }

  size_t ScanField(size_t first, size_t name, size_t at, size_t end, bool is_type) {
    const bool has_name = At(name).kind != Token::Kind::kSign;
    size_t i = at;
    if (IsSign(i, ":")) i = BehindType(i + 1);
    if (!IsSign(i, "=") || is_type) {
      if (has_name) SetEnd(AddTag(At(name).text, "property", first, name), std::min(i, end));
      return i;
    }
    const size_t value = i + 1;
    const size_t behind = BehindExpression(value, end);
    const Literal literal = WrappedLiteralAt(value, end);
    if (literal.exists() && has_name) {
      // By its kind no method, though it is called like one: it is a function in a field.
      AddFunction(At(name).text, "function", first, name, literal, behind);
      return behind;
    }
    if (has_name) {
      variable_ = AddTag(At(name).text, "property", first, name);
      SetEnd(variable_, behind);
    }
    if (IsSign(value, "{") && has_name) {
      const Scope outer = Enter(ScopeOf(variable_, false));
      ScanObject(value);
      Enter(outer);
    } else {
      ScanCode(value, behind);
    }
    variable_ = kNoVariable;
    return behind;
  }

  static constexpr size_t kNoVariable = static_cast<size_t>(-1);
  size_t variable_ = kNoVariable;  // The tag of the variable whose value is read.
};

}  // namespace

std::vector<Tag> ScanScript(const std::vector<Token>& tokens, const Language& language) {
  return ScriptScan(tokens, language).Run();
}

}  // namespace toolgate::executors::code_graph::index
