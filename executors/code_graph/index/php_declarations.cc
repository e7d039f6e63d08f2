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

constexpr std::array<std::string_view, 8> kPhpModifiers = {"abstract", "final",    "private", "protected",
                                                           "public",   "readonly", "static",  "var"};

class PhpScan : private DeclarationCursor {
 public:
  using DeclarationCursor::DeclarationCursor;

  std::vector<Tag> Run() {
    ScanCode(0, size());
    if (namespace_ != kNoTag) SetEnd(namespace_, size());
    return TakeTags();
  }

 private:
  static constexpr size_t kNoTag = static_cast<size_t>(-1);

  // A word of the language: no variable, and no member or part of a name.
  bool IsCode(size_t at) const {
    if (!IsName(at) || At(at).after_sigil) return false;
    return at == 0 || !(IsSign(at - 1, "->") || IsSign(at - 1, "::") || IsSign(at - 1, "\\"));
  }
  bool IsVariable(size_t at) const { return IsSign(at, "$") && IsName(at + 1) && Touch(at, at + 1); }
  bool IsModifier(size_t at) const { return IsCode(at) && text::IsOneOf(At(at).text, kPhpModifiers); }

  size_t BehindStatement(size_t at, size_t end) const {
    while (at < end && !IsSign(at, ";") && !IsSign(at, "}")) at = Behind(at);
    return std::min(at + 1, end);
  }

  void ScanCode(size_t at, size_t end) {
    const Level level(depth_);
    if (level.too_deep()) return;
    while (at < end) at = std::max(ScanItem(at, end), at + 1);
  }

  size_t ScanItem(size_t at, size_t end) {
    if (IsVariable(at)) return scope().is_function ? at + 2 : ScanVariable(at, end);
    if (!IsCode(at)) return at + 1;
    const std::string_view word = At(at).text;
    if (word == "namespace" && (IsName(at + 1) || IsSign(at + 1, "{"))) return ScanNamespace(at, end);
    if (word == "use" && !scope().is_function && IsName(at + 1)) return BehindStatement(at, end);
    if (text::IsOneOf(word, {"class", "interface", "trait", "enum"}) && IsName(at + 1)) return ScanType(at, end);
    if (word == "function") return ScanFunction(at, at, end);
    if (word == "const" && !scope().is_function) return ScanConstants(at, at, end);
    if (word == "define" && IsSign(at + 1, "(") && At(at + 2).kind == Token::Kind::kString) {
      SetEnd(AddTag(At(at + 2).text, "define", at, at + 2), Behind(at + 1));
    }
    return at + 1;
  }

  // ---- Namespaces and types

  size_t ScanNamespace(size_t at, size_t end) {
    std::string name;
    size_t i = at + 1;
    for (; i < end && (IsName(i) || IsSign(i, "\\")); ++i) name += At(i).text;
    if (namespace_ != kNoTag) SetEnd(std::exchange(namespace_, kNoTag), at);
    Enter({});
    const size_t tag = name.empty() ? kNoTag : AddTag(name, "namespace", at, at + 1);
    if (tag != kNoTag) Enter(ScopeOf(tag, false));
    if (!IsSign(i, "{")) {
      namespace_ = tag;
      return i;
    }
    if (tag != kNoTag) SetEnd(tag, Behind(i));
    ScanCode(i + 1, Close(i));
    Enter({});
    return Behind(i);
  }

  size_t ScanType(size_t at, size_t end) {
    // `enum` is a name elsewhere.
    if (IsWord(at, "enum") && !IsSign(at + 2, "{") && !IsSign(at + 2, ":") && !IsWord(at + 2, "implements")) {
      return at + 1;
    }
    size_t first = at;
    while (first > 0 && IsModifier(first - 1)) --first;
    const size_t index = AddTag(At(at + 1).text, At(at).text, first, at + 1);
    size_t i = at + 2;
    bool names_bases = false;
    for (; i < end && !IsSign(i, "{") && !IsSign(i, ";"); ++i) {
      if (IsAnyWord(i, {"extends", "implements"})) {
        names_bases = true;
      } else if (names_bases && IsName(i) && !IsSign(i + 1, "\\")) {
        AddBase(index, i);
      }
    }
    if (!IsSign(i, "{")) return i;
    SetEnd(index, Behind(i));
    const Scope outer = Enter(ScopeOf(index, false));
    for (size_t member = i + 1; member < Close(i);) {
      member = std::max(ScanMember(index, member, Close(i)), member + 1);
    }
    Enter(outer);
    return Behind(i);
  }

  void AddBase(size_t type, size_t name) {
    std::string& bases = tag(type).inherits;
    if (bases.size() > kMaxBasesBytes) return;
    if (!bases.empty()) bases += ',';
    bases += At(name).text;
  }

  // ---- Members

  size_t ScanMember(size_t type, size_t at, size_t end) {
    if (IsSign(at, "#")) return Behind(at + 1);
    size_t i = at;
    while (i < end && IsModifier(i)) ++i;
    if (IsWord(i, "function")) return ScanFunction(at, i, end);
    if (IsWord(i, "const")) return ScanConstants(at, i, end);
    if (IsWord(i, "use")) return ScanTraits(type, i, end);
    if (IsWord(i, "case") && IsName(i + 1)) {
      const size_t index = AddTag(At(i + 1).text, "enumerator", i, i + 1);
      const size_t behind = BehindStatement(i, end);
      SetEnd(index, behind);
      return behind;
    }
    // A type, and variables.
    while (i < end && !IsVariable(i) && !IsSign(i, ";") && !IsSign(i, "{")) i = Behind(i);
    if (!IsVariable(i)) return Behind(i);
    return ScanProperties(at, i, end);
  }

  size_t ScanTraits(size_t type, size_t at, size_t end) {
    size_t i = at + 1;
    for (; i < end && !IsSign(i, ";") && !IsSign(i, "{"); ++i) {
      if (IsName(i) && !IsSign(i + 1, "\\")) AddBase(type, i);
    }
    return IsSign(i, "{") ? Behind(i) : i + 1;
  }

  size_t ScanProperties(size_t first, size_t at, size_t end) {
    size_t i = at;
    while (i < end && !IsSign(i, ";")) {
      const bool begins = IsVariable(i) && (i == at || IsSign(i - 1, ","));
      const size_t index = begins ? AddTag(At(i + 1).text, "property", first, i + 1) : kNoTag;
      i = begins ? i + 2 : i;
      while (i < end && !IsSign(i, ";") && !IsSign(i, ",") && !IsSign(i, "{")) i = Behind(i);
      if (IsSign(i, "{")) {
        // Its accessors.
        if (index != kNoTag) NoteCode(index, i);
        return Behind(i);
      }
      if (index != kNoTag) SetEnd(index, i);
      if (IsSign(i, ",")) ++i;
    }
    return i + 1;
  }

  void NoteCode(size_t index, size_t open) {
    SetEnd(index, Behind(open));
    tag(index).first_code = open;
    tag(index).end_code = Behind(open);
  }

  // `const A = 1, int B = 2;`
  size_t ScanConstants(size_t first, size_t at, size_t end) {
    size_t i = at + 1;
    while (i < end && !IsSign(i, ";")) {
      while (i < end && !IsSign(i, "=") && !IsSign(i, ";")) ++i;
      const size_t name = i - 1;
      while (i < end && !IsSign(i, ";") && !IsSign(i, ",")) i = Behind(i);
      if (IsName(name) && IsSign(name + 1, "=")) SetEnd(AddTag(At(name).text, "define", first, name), i);
      if (IsSign(i, ",")) ++i;
    }
    return i + 1;
  }

  // ---- Functions and variables

  // `function name(…)` at `at`; one without a name is code of what is around it.
  size_t ScanFunction(size_t first, size_t at, size_t end) {
    const size_t name = IsSign(at + 1, "&") ? at + 2 : at + 1;
    if (!IsName(name) || !IsSign(name + 1, "(")) return at + 1;
    const size_t index = AddTag(At(name).text, "function", first, name);
    if (At(name).text == "__construct") AddPromoted(name + 1);
    return ScanParametersAndBody(index, name + 1, end);
  }

  size_t ScanParametersAndBody(size_t index, size_t open, size_t end) {
    tag(index).signature = TextOf(open, Close(open) + 1);
    size_t i = Behind(open);
    while (i < end && !IsSign(i, "{") && !IsSign(i, ";") && !IsArrow(i)) i = IsSign(i, "(") ? Behind(i) : i + 1;
    if (!IsSign(i, "{")) {
      const size_t behind = IsArrow(i) ? BehindStatement(i, end) : i;
      SetEnd(index, behind);
      return behind;
    }
    SetEnd(index, Behind(i));
    const Scope outer = Enter(ScopeOf(index, true));
    ScanCode(i + 1, Close(i));
    Enter(outer);
    return Behind(i);
  }

  // `__construct(private readonly Type $name)`
  void AddPromoted(size_t open) {
    for (size_t i = open + 1; i < Close(open);) {
      const size_t first = i;
      const bool is_promoted = IsModifier(i);
      while (i < Close(open) && !IsVariable(i) && !IsSign(i, ",")) i = IsSign(i, "#") ? Behind(i + 1) : Behind(i);
      if (is_promoted && IsVariable(i)) AddTag(At(i + 1).text, "property", first, i + 1);
      while (i < Close(open) && !IsSign(i, ",")) i = Behind(i);
      ++i;
    }
  }

  // `$name = …;` outside of functions, which may be a function.
  size_t ScanVariable(size_t at, size_t end) {
    const bool begins = at == 0 || At(at).begins_line || IsSign(at - 1, ";") || IsSign(at - 1, "}");
    if (!begins || !IsSign(at + 2, "=") || IsSign(at + 3, "=") || IsArrow(at + 2)) return at + 2;
    size_t value = IsWord(at + 3, "static") ? at + 4 : at + 3;
    const bool is_function = IsAnyWord(value, {"function", "fn"}) && IsSign(value + 1, "(");
    const size_t index = AddTag(At(at + 1).text, is_function ? "function" : "variable", at, at + 1);
    if (is_function) return ScanParametersAndBody(index, value + 1, end);
    SetEnd(index, BehindStatement(at, std::min(end, at + kMostTokens)));
    return at + 3;
  }

  static constexpr size_t kMaxBasesBytes = 2000;
  static constexpr size_t kMostTokens = 300;  // Of a statement whose end is looked for.

  size_t namespace_ = kNoTag;  // The tag of one that goes to the next one.
};

}  // namespace

std::vector<Tag> ScanPhp(const std::vector<Token>& tokens, const Language& language) {
  return PhpScan(tokens, language).Run();
}

}  // namespace toolgate::executors::code_graph::index
