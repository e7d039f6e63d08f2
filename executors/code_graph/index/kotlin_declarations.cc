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

constexpr std::array<std::string_view, 32> kKotlinModifiers = {
    "public",   "private",  "internal",    "protected", "open",     "abstract",   "final",   "sealed",
    "data",     "inner",    "value",       "inline",    "override", "suspend",    "tailrec", "infix",
    "operator", "external", "const",       "lateinit",  "enum",     "annotation", "expect",  "actual",
    "vararg",   "noinline", "crossinline", "companion", "fun",      "reified",    "out",     "in"};

class KotlinScan final : public DeclarationCursor {
 public:
  using DeclarationCursor::DeclarationCursor;

  std::vector<Tag> Run() {
    ScanCode(0, size());
    return TakeTags();
  }

 private:
  bool InType() const { return !scope().kind.empty() && !scope().is_function; }

  // ---- Types and expressions

  // The position behind a type, such as `suspend (A, B) -> List<C>?`.
  size_t BehindType(size_t at, size_t end) const {
    for (size_t i = at; i < end;) {
      while (IsSign(i, "@") || IsAnyWord(i, {"suspend", "in", "out"})) i += IsSign(i, "@") ? 2 : 1;
      if (IsSign(i, "(")) {
        i = Behind(i);
      } else if (IsName(i) || IsSign(i, "*")) {
        i = BehindAngles(i + 1);
      } else {
        return i;
      }
      while (IsSign(i, "?")) ++i;
      if (!IsSign(i, ".") && !IsSign(i, "->") && !IsSign(i, "&")) return i;
      ++i;
    }
    return end;
  }

  bool EndsExpression(size_t i) const {
    if (!BeginsLine(i)) return false;
    const Token& before = At(i - 1);
    const bool ends_operand = before.kind != Token::Kind::kSign
                                  ? !IsAnyWord(i - 1, {"return", "else", "in", "is", "as", "throw", "by"})
                                  : before.text == ")" || before.text == "]" || before.text == "}" ||
                                        before.text == ">" || before.text == "!" || before.text == "?";
    if (!ends_operand) return false;
    if (IsAnyWord(i, {"else", "as", "in", "is"})) return false;
    return At(i).kind != Token::Kind::kSign || IsSign(i, "@") || IsSign(i, "}") || IsSign(i, "{") || IsSign(i, "(");
  }

  size_t BehindExpression(size_t at, size_t end) const {
    size_t i = at;
    while (i < end && !IsSign(i, ",") && !IsSign(i, ";") && !IsSign(i, ")") && !IsSign(i, "]") && !IsSign(i, "}")) {
      if (i > at && EndsExpression(i)) break;
      i = Behind(i);
    }
    return std::min(i, end);
  }

  size_t BehindAnnotation(size_t at) const {
    size_t i = at + 1;
    if (IsSign(i, "[")) return Behind(i);
    if (IsName(i) && IsSign(i + 1, ":")) i += 2;
    while (IsName(i) && IsSign(i + 1, ".")) i += 2;
    i = BehindAngles(i + 1);
    return IsSign(i, "(") && Touch(i - 1, i) ? Behind(i) : i;
  }

  // ---- Code

  void ScanCode(size_t first, size_t end) {
    const Level level(depth_);
    if (level.too_deep()) return;
    for (size_t i = first; i < end;) i = std::max(ScanStatement(i, end), i + 1);
  }

  size_t ScanStatement(size_t at, size_t end) {
    size_t i = at;
    if (IsSign(i, "@") && (at == 0 || !IsName(at - 1) || BeginsLine(at))) i = BehindAnnotation(i);
    const bool is_member = at > 0 && (IsSign(at - 1, ".") || IsSign(at - 1, "::"));
    if (IsName(i) && !is_member) {
      size_t word = i;
      while (word < end && IsModifier(word)) ++word;
      if (const size_t behind = ScanDeclaration(i, word, end); behind > word) return behind;
    }
    if (i > at) return i;
    if (Opens(at)) {
      ScanCode(at + 1, Close(at));
      return Behind(at);
    }
    return at + 1;
  }

  // Whether a word stands before a declaration: what follows is another word.
  bool IsModifier(size_t at) const {
    return IsName(at) && text::IsOneOf(At(at).text, kKotlinModifiers) && IsName(at + 1) &&
           (At(at).text != "fun" || IsWord(at + 1, "interface"));
  }

  size_t ScanDeclaration(size_t first, size_t at, size_t end) {
    const std::string_view word = At(at).text;
    if (word == "package" || word == "import") return ScanHeader(first, at, end);
    if (word == "class" || word == "interface") return IsName(at + 1) ? ScanType(first, at, end) : at;
    if (word == "object") return ScanType(first, at, end);
    if (word == "fun") return ScanFunction(first, at, end);
    if (word == "val" || word == "var") return ScanProperty(first, at, end);
    if (word == "typealias" && IsName(at + 1)) return ScanAlias(first, at, end);
    if (word == "constructor" && InType() && IsSign(at + 1, "(")) return ScanConstructor(first, at, end);
    if ((word == "get" || word == "set") && property_ != kNoProperty && !scope().is_function) {
      return ScanAccessor(at, end);
    }
    return at;
  }

  size_t ScanHeader(size_t first, size_t at, size_t end) {
    size_t i = at + 1;
    std::string name;
    for (; i < end && At(i).line == At(at).line && (IsName(i) || IsSign(i, ".") || IsSign(i, "*")); ++i) {
      name += At(i).text;
    }
    if (IsWord(at, "package") && !name.empty()) SetEnd(AddTag(name, "package", first, at), i);
    return std::max(i, at + 1);
  }

  // ---- Types

  size_t ScanType(size_t first, size_t at, size_t end) {
    const bool is_object = IsWord(at, "object");
    const bool is_companion = is_object && at > 0 && IsWord(at - 1, "companion");
    // An object without a name is a value; its functions belong to the function around it.
    if (is_object && !is_companion && !IsName(at + 1)) return at;
    const bool has_name = IsName(at + 1);
    const size_t name = has_name ? at + 1 : at;
    const bool is_enum = first < at && IsWord(at - 1, "enum");
    const std::string_view kind = is_enum ? "enum" : At(at).text;
    const size_t index = AddTag(has_name ? At(name).text : "Companion", kind, first, name);
    size_t i = BehindAngles(name + 1);
    const size_t before = i;
    while (IsSign(i, "@") || IsModifier(i) || IsWord(i, "constructor") ||
           (IsAnyWord(i, {"private", "internal", "protected", "public"}) && IsWord(i + 1, "constructor"))) {
      i = IsSign(i, "@") ? BehindAnnotation(i) : i + 1;
    }
    if (!IsSign(i, "(") && !IsSign(i, ":") && !IsSign(i, "{")) i = before;
    size_t last = i;
    const size_t parameters = IsSign(i, "(") ? i : size();
    if (parameters < size()) {
      tag(index).signature = TextOf(i, Close(i) + 1);
      i = last = Behind(i);
    }
    if (IsSign(i, ":")) {
      tag(index).inherits = Bases(i, end);
      last = i;
    }
    if (IsWord(i, "where")) {
      while (i < end && !IsSign(i, "{") && !EndsExpression(i)) ++i;
    }
    const bool has_body = IsSign(i, "{");
    SetEnd(index, has_body ? Behind(i) : last);
    const Scope outer = Enter(ScopeOf(index, false));
    const size_t outer_property = std::exchange(property_, kNoProperty);
    if (parameters < size()) AddParameterProperties(parameters);
    if (has_body) {
      const size_t body = is_enum ? ScanEntries(i) : i + 1;
      ScanCode(body, Close(i));
    }
    property_ = outer_property;
    Enter(outer);
    return has_body ? Behind(i) : std::max(last, at + 1);
  }

  // Names behind the colon at `at`, which is moved behind the list.
  std::string Bases(size_t& at, size_t end) const {
    std::string bases;
    do {
      const size_t begin = ++at;
      at = BehindType(at, end);
      if (at == begin) break;
      size_t last = begin;
      while (IsName(last) && IsSign(last + 1, ".")) last += 2;
      if (IsName(last)) {
        if (!bases.empty()) bases += ',';
        bases += At(last).text;
      }
      if (IsSign(at, "(")) at = Behind(at);
      if (IsWord(at, "by")) at = BehindDelegate(at + 1, end);
    } while (at < end && IsSign(at, ","));
    return bases;
  }

  // `by expression` in a list of bases, whose brace is the class's.
  size_t BehindDelegate(size_t at, size_t end) const {
    size_t i = at;
    while (i < end && !IsSign(i, "{") && !IsSign(i, ",") && !(i > at && EndsExpression(i))) i = Behind(i);
    return i;
  }

  void AddParameterProperties(size_t open) {
    for (size_t i = open + 1; i < Close(open);) {
      const size_t first = i;
      while (i < Close(open) && (IsSign(i, "@") || IsModifier(i))) i = IsSign(i, "@") ? BehindAnnotation(i) : i + 1;
      if (IsAnyWord(i, {"val", "var"}) && IsName(i + 1)) {
        const size_t index = AddTag(At(i + 1).text, "property", first, i + 1);
        if (IsSign(i + 2, ":")) SetEnd(index, BehindType(i + 3, Close(open)));
      }
      while (i < Close(open) && !IsSign(i, ",")) {
        const size_t angles = BehindAngles(i);
        i = angles == i ? Behind(i) : angles;
      }
      ++i;
    }
  }

  // The values of an enumeration whose body opens at `open`. Returns the position of its other members.
  size_t ScanEntries(size_t open) {
    const size_t close = Close(open);
    size_t i = open + 1;
    while (i < close && !IsSign(i, ";")) {
      while (IsSign(i, "@")) i = BehindAnnotation(i);
      if (!IsName(i) || IsAnyWord(i, {"fun", "val", "var", "companion", "override"})) break;
      const size_t index = AddTag(At(i).text, "enumConstant", i, i);
      ++i;
      if (IsSign(i, "(")) i = Behind(i);
      if (IsSign(i, "{")) {
        SetEnd(index, Behind(i));
        const Scope outer = Enter(ScopeOf(index, false));
        ScanCode(i + 1, Close(i));
        Enter(outer);
        i = Behind(i);
      }
      if (IsSign(i, ",")) ++i;
    }
    return i;
  }

  size_t ScanAlias(size_t first, size_t at, size_t end) {
    const size_t index = AddTag(At(at + 1).text, "typealias", first, at + 1);
    size_t i = BehindAngles(at + 2);
    if (IsSign(i, "=")) i = BehindType(i + 1, end);
    SetEnd(index, i);
    return i;
  }

  // ---- Functions and properties

  // The position of the name before `sign`, behind the type that it extends; `at` itself when there is none.
  size_t NameBehindReceiver(size_t at, size_t end) const {
    size_t i = BehindAngles(at);
    while (IsSign(i, "@")) i = BehindAnnotation(i);
    size_t name = at;
    while (i < end) {
      if (IsSign(i, "(") && !IsName(name)) {
        i = Behind(i);
      } else if (IsName(i)) {
        name = i;
        i = BehindAngles(i + 1);
      } else {
        break;
      }
      while (IsSign(i, "?")) ++i;
      if (!IsSign(i, ".")) break;
      name = at;
      ++i;
    }
    return name;
  }

  size_t ScanFunction(size_t first, size_t at, size_t end) {
    const size_t name = NameBehindReceiver(at + 1, end);
    const size_t open = BehindAngles(name + 1);
    if (!IsName(name) || !IsSign(open, "(")) return at + 1;
    const size_t index = AddTag(At(name).text, InType() ? "method" : "function", first, name);
    tag(index).signature = TextOf(open, Close(open) + 1);
    size_t i = Behind(open);
    if (IsSign(i, ":")) i = BehindType(i + 1, end);
    if (IsWord(i, "where")) {
      while (i < end && !IsSign(i, "{") && !IsSign(i, "=") && !EndsExpression(i)) ++i;
    }
    return ScanBody(index, open, i, end);
  }

  size_t ScanConstructor(size_t first, size_t at, size_t end) {
    const size_t index = AddTag("constructor", "constructor", first, at);
    const size_t open = at + 1;
    tag(index).signature = TextOf(open, Close(open) + 1);
    size_t i = Behind(open);
    if (IsSign(i, ":") && IsSign(i + 2, "(")) i = Behind(i + 2);
    return ScanBody(index, open, i, end);
  }

  // The body at `at`: a block, or an expression behind "=".
  size_t ScanBody(size_t index, size_t open, size_t at, size_t end) {
    size_t begin = at;
    size_t behind = at;
    if (IsSign(at, "{")) {
      behind = Behind(at);
    } else if (IsSign(at, "=")) {
      begin = at + 1;
      behind = BehindExpression(begin, end);
    }
    SetEnd(index, behind);
    const Scope outer = Enter(ScopeOf(index, true));
    ScanCode(open + 1, Close(open));
    ScanCode(begin, behind);
    Enter(outer);
    return behind;
  }

  size_t ScanProperty(size_t first, size_t at, size_t end) {
    size_t i = BehindAngles(at + 1);
    if (IsSign(i, "(")) return ScanValue(Behind(i), end);
    const size_t name = NameBehindReceiver(at + 1, end);
    if (!IsName(name)) return at + 1;
    i = name + 1;
    if (IsSign(i, ":")) i = BehindType(i + 1, end);
    if (scope().is_function || (first > 0 && IsSign(first - 1, "("))) return ScanValue(i, end);
    const std::string_view kind = InType() ? "property" : IsWord(at, "val") ? "constant" : "variable";
    property_ = AddTag(At(name).text, kind, first, name);
    const size_t value = i;
    i = ScanValue(i, end);
    NoteLambdas(value, i);
    SetEnd(property_, i);
    return std::max(i, name + 1);
  }

  // `= expression`, `by expression`, or nothing.
  size_t ScanValue(size_t at, size_t end) {
    if (!IsSign(at, "=") && !IsWord(at, "by")) return at;
    const size_t behind = BehindExpression(at + 1, end);
    ScanCode(at + 1, behind);
    return behind;
  }

  // Lambdas of a property's value belong to the property.
  void NoteLambdas(size_t first, size_t end) {
    for (size_t i = first; i < end; i = Behind(i)) {
      if (IsSign(i, "{")) NoteCode(i, Behind(i));
    }
  }
  void NoteCode(size_t first, size_t end) {
    Tag& owner = tag(property_);
    if (owner.end_code == 0) owner.first_code = first;
    owner.end_code = std::max(owner.end_code, end);
    SetEnd(property_, std::max(owner.end_token, end));
  }

  // `get() = …` behind the property that was found last.
  size_t ScanAccessor(size_t at, size_t end) {
    if (!IsSign(at + 1, "(")) return at;
    size_t i = Behind(at + 1);
    if (IsSign(i, ":")) i = BehindType(i + 1, end);
    if (!IsSign(i, "{") && !IsSign(i, "=")) return at;
    const size_t behind = IsSign(i, "{") ? Behind(i) : BehindExpression(i + 1, end);
    NoteCode(at, behind);
    const Scope outer = Enter(ScopeOf(property_, true));
    ScanCode(i + 1, behind);
    Enter(outer);
    return behind;
  }

  static constexpr size_t kNoProperty = static_cast<size_t>(-1);
  size_t property_ = kNoProperty;  // The tag of the latest property of the present type or file.
};

}  // namespace

std::vector<Tag> ScanKotlin(const std::vector<Token>& tokens, const Language& language) {
  return KotlinScan(tokens, language).Run();
}

}  // namespace toolgate::executors::code_graph::index
