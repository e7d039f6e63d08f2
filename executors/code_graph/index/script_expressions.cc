#include "executors/code_graph/index/script_expressions.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/text/words.h"

namespace toolgate::executors::code_graph::index {
namespace {

// Functions that return the function that they are given, or one around it.
constexpr std::array<std::string_view, 12> kFunctionWrappers = {"memo",     "forwardRef",     "observer", "useCallback",
                                                                "useEvent", "useEffectEvent", "debounce", "throttle",
                                                                "memoize",  "once",           "cache",    "catchAsync"};

// Tokens of a type, in which a bracket with its contents counts as one.
constexpr size_t kMaxType = 2000;

}  // namespace

size_t ScriptExpressions::BehindType(size_t at, bool may_be_function) const {
  int conditions = 0;
  bool expects = true;
  for (size_t i = at, most = at + kMaxType; i < size();) {
    if (i > most) return i;
    if (expects) {
      if (IsSign(i, "|") || IsSign(i, "&") || IsSign(i, "-") ||
          IsAnyWord(i, {"keyof", "typeof", "readonly", "infer", "unique", "asserts", "new", "abstract"})) {
        ++i;
      } else if (const size_t angles = BehindAngles(i); angles != i) {
        i = angles;
      } else if (Opens(i)) {
        i = Behind(i);
        expects = false;
      } else if (At(i).kind != Token::Kind::kSign) {
        ++i;
        expects = false;
      } else {
        return i;
      }
      continue;
    }
    if (IsSign(i, ".")) {
      i += 2;
    } else if (const size_t angles = BehindAngles(i); angles != i) {
      i = angles;
    } else if ((IsSign(i, "[") && !BeginsLine(i)) || IsSign(i, "(")) {
      if (IsSign(i, "(") && !At(i).is_made) return i;
      i = Behind(i);
    } else if (IsSign(i, "|") || IsSign(i, "&")) {
      ++i;
      expects = true;
    } else if (IsArrow(i)) {
      if (!may_be_function) return i;
      i += 2;
      expects = true;
    } else if (IsAnyWord(i, {"is", "extends"}) && !BeginsLine(i)) {
      ++i;
      expects = true;
    } else if (IsSign(i, "?") || (IsSign(i, ":") && conditions > 0)) {
      conditions += IsSign(i, "?") ? 1 : -1;
      ++i;
      expects = true;
    } else {
      return i;
    }
  }
  return size();
}

bool ScriptExpressions::EndsStatement(size_t i) const {
  if (!BeginsLine(i) || i == 0) return false;
  const Token& before = At(i - 1);
  if (before.kind == Token::Kind::kSign) {
    if (before.text != ")" && before.text != "]" && before.text != "}" &&
        !(before.text == ">" && At(i).IsName() && !IsArrow(i - 2)))
      return false;
  } else if (IsAnyWord(i - 1, {"return", "await", "yield", "typeof", "new", "in", "of", "instanceof", "as", "extends",
                               "case", "void", "delete", "else", "satisfies"})) {
    return false;
  }
  if (IsAnyWord(i, {"instanceof", "in", "of", "as", "satisfies"})) return false;
  return At(i).kind != Token::Kind::kSign || IsSign(i, "@") || IsSign(i, "#") || IsSign(i, "}") || IsSign(i, "*") ||
         IsSign(i, "{");
}

size_t ScriptExpressions::BehindExpression(size_t at, size_t end) const {
  size_t i = at;
  while (i < end) {
    if (IsSign(i, ",") || IsSign(i, ";") || IsSign(i, ")") || IsSign(i, "]") || IsSign(i, "}")) break;
    if (i > at && EndsStatement(i)) break;
    const Literal literal = LiteralAt(i, end);
    if (literal.exists()) {
      i = literal.end;
      continue;
    }
    if (IsWord(i, "class")) {
      while (i < end && !IsSign(i, "{")) ++i;
    }
    i = BehindOperand(i);
  }
  return std::min(i, end);
}

ScriptExpressions::Literal ScriptExpressions::LiteralAt(size_t at, size_t end) const {
  size_t i = at;
  if (IsWord(i, "async") && !IsSign(i + 1, ".") && !IsSign(i + 1, ",")) ++i;
  if (IsWord(i, "function")) return FunctionAt(i, end);
  Literal literal;
  if (IsName(i) && IsArrow(i + 1)) {
    literal.parameters = i;
    i += 1;
  } else {
    i = BehindAngles(i);
    if (!IsSign(i, "(") || At(i).is_made) return {};
    literal.parameters = i;
    i = Behind(i);
    if (IsSign(i, ":") && !(at > 0 && IsSign(at - 1, "?"))) i = BehindType(i + 1, /*may_be_function=*/false);
    if (!IsArrow(i)) return {};
  }
  literal.body = i + 2;
  literal.end = IsSign(literal.body, "{") ? Behind(literal.body) : BehindArrowBody(literal.body, end);
  return literal;
}

size_t ScriptExpressions::BehindArrowBody(size_t at, size_t end) const {
  size_t i = at;
  while (i < end) {
    if (IsSign(i, ",") || IsSign(i, ";") || IsSign(i, ")") || IsSign(i, "]") || IsSign(i, "}")) break;
    if (i > at && EndsStatement(i)) break;
    i = BehindOperand(i);
  }
  return std::min(i, end);
}

size_t ScriptExpressions::BehindOperand(size_t at) const {
  if (!IsName(at)) return Behind(at);
  const size_t angles = BehindAngles(at + 1);
  return angles > at + 1 && IsSign(angles, "(") ? angles : at + 1;
}

ScriptExpressions::Literal ScriptExpressions::FunctionAt(size_t at, size_t end) const {
  size_t i = at + 1;
  Literal literal;
  if (IsSign(i, "*")) {
    literal.is_generator = true;
    ++i;
  }
  if (IsName(i)) ++i;
  i = BehindAngles(i);
  if (!IsSign(i, "(")) return {};
  literal.parameters = i;
  i = Behind(i);
  if (IsSign(i, ":")) i = BehindType(i + 1);
  literal.body = i;
  literal.end = std::min(IsSign(i, "{") ? Behind(i) : i, end);
  return literal;
}

ScriptExpressions::Literal ScriptExpressions::WrappedLiteralAt(size_t at, size_t end) const {
  if (const Literal literal = LiteralAt(at, end); literal.exists()) return literal;
  size_t i = at;
  if (IsName(i)) {
    while (IsName(i) && IsSign(i + 1, ".")) i += 2;
    if (!IsName(i) || !text::IsOneOf(At(i).text, kFunctionWrappers)) return {};
    i = BehindAngles(i + 1);
  }
  if (!IsSign(i, "(") || At(i).is_made) return {};
  const size_t close = Close(i);
  Level level(wrapped_depth_);
  if (level.too_deep() || close == i) return {};
  Literal literal = WrappedLiteralAt(i + 1, close);
  // One that is called at once is no function.
  if (literal.exists() && IsSign(close + 1, "(") && !IsName(at)) return {};
  return literal;
}

}  // namespace toolgate::executors::code_graph::index
