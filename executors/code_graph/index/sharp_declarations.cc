#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/words.h"
#include "executors/code_graph/index/declaration_cursor.h"

namespace toolgate::executors::code_graph::index {
namespace {

constexpr std::array<std::string_view, 24> kSharpModifiers = {
    "public", "private", "protected", "internal", "static",   "abstract", "sealed", "partial",
    "new",    "virtual", "override",  "readonly", "async",    "extern",   "unsafe", "volatile",
    "const",  "ref",     "file",      "required", "implicit", "explicit", "fixed",  "scoped"};

// Words that begin a statement, or an expression, and no type.
constexpr std::array<std::string_view, 27> kNoTypes = {
    "await", "return", "throw",    "new",  "yield", "if",   "else", "for",   "foreach",
    "while", "do",     "switch",   "case", "using", "lock", "try",  "catch", "finally",
    "goto",  "break",  "continue", "in",   "is",    "as",   "when", "where", "nameof"};

class SharpScan final : public DeclarationCursor {
 public:
  using DeclarationCursor::DeclarationCursor;

  std::vector<Tag> Run() {
    ScanMembers(0, size());
    return TakeTags();
  }

 private:
  bool InType() const { return !scope().kind.empty() && scope().kind != "namespace"; }

  void ScanMembers(size_t first, size_t end) {
    const Level level(depth_);
    if (level.too_deep()) return;
    for (size_t i = first; i < end;) i = std::max(ScanMember(i, end), i + 1);
  }

  // Returns the position behind a member, or, in a file with statements, behind one.
  size_t ScanMember(size_t at, size_t end) {
    size_t i = at;
    while (IsSign(i, "[") && i < end) i = Behind(i);
    const size_t first = i;
    while (i < end && IsModifier(i)) ++i;
    const std::string_view word = IsName(i) ? At(i).text : std::string_view();
    if (word == "namespace" && IsName(i + 1)) return ScanNamespace(first, i, end);
    if (word == "using" || word == "extern") return BehindStatement(i, end);
    if (word == "class" || word == "struct" || word == "interface" || word == "enum") {
      return ScanType(first, i, word, end);
    }
    if (word == "record" && IsName(i + 1)) return ScanRecord(first, i, end);
    if (word == "delegate" && IsName(i + 1)) return ScanDelegate(first, i, end);
    if (word == "event") return ScanField(first, i + 1, "event", end);
    if (IsSign(i, "~") && IsName(i + 1)) return ScanMethod(first, i + 1, i + 2, end);
    if (IsSign(i, ";") || IsSign(i, "}")) return i + 1;
    return ScanTypedMember(first, i, end);
  }

  // Whether the word at `at` stands before a declaration. "new (…)" and "ref x" do not.
  bool IsModifier(size_t at) const {
    return IsName(at) && text::IsOneOf(At(at).text, kSharpModifiers) && (IsName(at + 1) || IsSign(at + 1, "("));
  }

  size_t BehindStatement(size_t at, size_t end) const {
    size_t i = at;
    while (i < end && !IsSign(i, ";")) {
      const bool is_block = IsSign(i, "{");
      i = Behind(i);
      if (is_block && !IsSign(i, ";") && !IsSign(i, ".") && !IsSign(i, ",") && !IsSign(i, ")")) return i;
    }
    return std::min(i + 1, end);
  }

  // The position behind a type; `at` itself when there is none.
  size_t BehindType(size_t at) const {
    size_t i = at;
    while (IsAnyWord(i, {"ref", "readonly", "scoped", "params", "in", "out", "this"})) ++i;
    if (IsSign(i, "(")) {
      i = Behind(i);
    } else {
      while (true) {
        if (!IsName(i) || text::IsOneOf(At(i).text, kNoTypes)) return at;
        i = BehindAngles(i + 1);
        if (!IsSign(i, ".") && !IsSign(i, "::")) break;
        ++i;
      }
    }
    while (true) {
      if (IsSign(i, "?") || IsSign(i, "*")) {
        ++i;
      } else if (IsSign(i, "[") && IsArraySuffix(i)) {
        i = Behind(i);
      } else {
        return i;
      }
    }
  }
  bool IsArraySuffix(size_t at) const {
    for (size_t i = at + 1; i < Close(at); ++i) {
      if (!IsSign(i, ",")) return false;
    }
    return Close(at) > at;
  }

  // ---- Namespaces and types

  size_t ScanNamespace(size_t first, size_t at, size_t end) {
    size_t i = at + 1;
    std::string name;
    for (; i < end && (IsName(i) || IsSign(i, ".")); ++i) name += At(i).text;
    const size_t index = AddTag(name, "namespace", first, at + 1);
    Scope inner = ScopeOf(index, false);
    // Of a namespace without braces is the rest of the file.
    const bool has_braces = IsSign(i, "{");
    const size_t behind = has_braces ? Behind(i) : end;
    SetEnd(index, behind);
    const Scope outer = Enter(std::move(inner));
    ScanMembers(i + 1, has_braces ? Close(i) : end);
    Enter(outer);
    return behind;
  }

  size_t ScanRecord(size_t first, size_t at, size_t end) {
    const bool is_struct = IsWord(at + 1, "struct");
    const size_t word = is_struct || IsWord(at + 1, "class") ? at + 1 : at;
    return ScanType(first, word, is_struct ? "struct" : "class", end);
  }

  size_t ScanType(size_t first, size_t at, std::string_view kind, size_t end) {
    if (!IsName(at + 1)) return at + 1;
    const size_t index = AddTag(At(at + 1).text, kind, first, at + 1);
    size_t i = BehindAngles(at + 2);
    if (IsSign(i, "(")) {
      tag(index).signature = TextOf(i, Close(i) + 1);
      i = Behind(i);
    }
    if (IsSign(i, ":") && kind != "enum") tag(index).inherits = Bases(i);
    while (i < end && !IsSign(i, "{") && !IsSign(i, ";")) i = Behind(i);
    const size_t behind = std::min(Behind(i), end);
    SetEnd(index, behind);
    const Scope outer = Enter(ScopeOf(index, false));
    if (IsSign(i, "{")) {
      if (kind == "enum") {
        ScanEnumerators(i);
      } else {
        ScanMembers(i + 1, Close(i));
      }
    }
    Enter(outer);
    return behind;
  }

  // Names behind the colon at `at`, which is moved behind the list.
  std::string Bases(size_t& at) const {
    std::string bases;
    do {
      const size_t begin = ++at;
      at = BehindType(at);
      if (at == begin) break;
      size_t last = begin;
      while (IsName(last) && (IsSign(last + 1, ".") || IsSign(last + 1, "::"))) last += 2;
      if (!bases.empty()) bases += ',';
      bases += At(last).text;
      if (IsSign(at, "(")) at = Behind(at);
    } while (IsSign(at, ","));
    return bases;
  }

  void ScanEnumerators(size_t open) {
    for (size_t i = open + 1; i < Close(open); ++i) {
      while (IsSign(i, "[")) i = Behind(i);
      if (IsName(i)) AddTag(At(i).text, "enumerator", i, i);
      while (i < Close(open) && !IsSign(i, ",")) i = Behind(i);
    }
  }

  size_t ScanDelegate(size_t first, size_t at, size_t end) {
    const size_t name = BehindType(at + 1);
    const size_t behind = BehindStatement(at, end);
    if (IsName(name)) SetEnd(AddTag(At(name).text, "delegate", first, name), behind);
    return behind;
  }

  // ---- Members with a type in front

  size_t ScanTypedMember(size_t first, size_t at, size_t end) {
    // A constructor has no type.
    if (InType() && IsName(at) && IsSign(at + 1, "(") && At(at).text == tag_name()) {
      return ScanMethod(first, at, at + 1, end);
    }
    if (IsWord(at, "operator")) return ScanOperator(first, at, end);
    size_t name = BehindType(at);
    if (name == at) return ScanStatement(at, end);
    if (IsWord(name, "operator")) return ScanOperator(first, name, end);
    // `IFoo.Name`: of an interface that is implemented explicitly.
    while (IsName(name)) {
      const size_t behind = BehindAngles(name + 1);
      if (!IsSign(behind, ".")) break;
      name = behind + 1;
    }
    if (IsWord(name, "this") && IsSign(name + 1, "[")) return ScanProperty(first, name, Behind(name + 1), end);
    if (!IsName(name)) return ScanStatement(at, end);
    const size_t behind = BehindAngles(name + 1);
    if (IsSign(behind, "(")) return ScanMethod(first, name, behind, end);
    if (!InType()) return ScanStatement(at, end);
    if (IsSign(behind, "{") || IsArrow(behind)) return ScanProperty(first, name, behind, end);
    const bool is_constant = first < at && HasWord(first, at, "const");
    return ScanField(first, at, is_constant ? "constant" : "field", end);
  }

  std::string_view tag_name() const {
    const std::string_view name = scope().qualified_name;
    const size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
  }

  bool HasWord(size_t first, size_t end, std::string_view word) const {
    for (size_t i = first; i < end; ++i) {
      if (IsWord(i, word)) return true;
    }
    return false;
  }

  // Local functions of a program without a class may be in it.
  size_t ScanStatement(size_t at, size_t end) {
    size_t i = at;
    while (i < end && !IsSign(i, ";") && !IsSign(i, "}")) {
      const bool is_block = IsSign(i, "{");
      i = Behind(i);
      if (is_block) return i;
    }
    return std::min(i + 1, end);
  }

  size_t ScanOperator(size_t first, size_t at, size_t end) {
    size_t open = at + 1;
    std::string name = "operator ";
    for (; open < end && !IsSign(open, "("); ++open) name += At(open).text;
    if (open >= end) return at + 1;
    const size_t index = AddTag(name, "method", first, at);
    return FinishMethod(index, open, end);
  }

  size_t ScanMethod(size_t first, size_t name, size_t open, size_t end) {
    const size_t behind = BehindSignature(open, end);
    // A call, as of a program without a class.
    if (!InType() && !IsSign(behind, "{") && !IsArrow(behind)) return BehindStatement(open, end);
    const bool is_destructor = name > 0 && IsSign(name - 1, "~");
    const std::string text = is_destructor ? "~" + std::string(At(name).text) : std::string(At(name).text);
    const size_t index = AddTag(text, InType() ? "method" : "function", first, name);
    return FinishMethod(index, open, end);
  }

  // Behind parameters, the call of another constructor and constraints.
  size_t BehindSignature(size_t open, size_t end) const {
    size_t i = Behind(open);
    while (i < end && !IsSign(i, "{") && !IsSign(i, ";") && !IsSign(i, "}") && !IsArrow(i)) i = Behind(i);
    return i;
  }

  size_t FinishMethod(size_t index, size_t open, size_t end) {
    tag(index).signature = TextOf(open, Close(open) + 1);
    const size_t i = BehindSignature(open, end);
    const size_t behind = IsSign(i, "{") ? Behind(i) : std::min(BehindExpression(i, end) + 1, end);
    SetEnd(index, behind);
    return behind;
  }

  // The semicolon behind an expression.
  size_t BehindExpression(size_t at, size_t end) const {
    size_t i = at;
    while (i < end && !IsSign(i, ";") && !IsSign(i, "}")) i = Behind(i);
    return i;
  }

  size_t ScanProperty(size_t first, size_t name, size_t at, size_t end) {
    const size_t index = AddTag(At(name).text, "property", first, name);
    size_t behind = at;
    if (IsSign(at, "{")) {
      behind = Behind(at);
      if (IsSign(behind, "=") && !IsArrow(behind)) behind = std::min(BehindExpression(behind, end) + 1, end);
    } else {
      behind = std::min(BehindExpression(at, end) + 1, end);
    }
    SetEnd(index, behind);
    tag(index).first_code = at;
    tag(index).end_code = behind;
    return behind;
  }

  // `Type name = value, other;` from the type at `at`.
  size_t ScanField(size_t first, size_t at, std::string_view kind, size_t end) {
    size_t i = BehindType(at);
    if (i == at) return BehindStatement(at, end);
    while (IsName(i)) {
      const size_t index = AddTag(At(i).text, kind, first, i);
      ++i;
      while (i < end && !IsSign(i, ",") && !IsSign(i, ";") && !IsSign(i, "}")) {
        const bool is_accessors = kind == "event" && IsSign(i, "{");
        if (IsArrow(i)) NoteCode(index, i);
        i = Behind(i);
        if (is_accessors) break;
      }
      if (tag(index).end_code > 0) tag(index).end_code = i;
      SetEnd(index, i);
      if (!IsSign(i, ",")) break;
      first = ++i;
    }
    return IsSign(i, ";") ? i + 1 : i;
  }
  // Lambdas of a field's value belong to the field.
  void NoteCode(size_t index, size_t at) {
    if (tag(index).end_code == 0) tag(index).first_code = at;
    tag(index).end_code = at;
  }
};

}  // namespace

std::vector<Tag> ScanSharp(const std::vector<Token>& tokens, const Language& language) {
  return SharpScan(tokens, language).Run();
}

}  // namespace toolgate::executors::code_graph::index
