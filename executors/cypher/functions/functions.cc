#include "executors/cypher/functions/functions.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/utf8.h"
#include "executors/cypher/functions/conversion.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/functions/mathematics.h"
#include "executors/cypher/functions/strings.h"
#include "executors/cypher/functions/temporal.h"

namespace toolgate::executors::cypher::functions {
namespace {

using syntax::FunctionId;
using values::List;
using values::Value;

constexpr int64_t kMaxPatternMemory = 8 << 20;

// Steps of one match, which nothing interrupts: a few seconds at worst.
constexpr size_t kMaxStepsOfMatch = 1'000'000'000;

absl::StatusOr<Value> Range(absl::Span<const Value> arguments, size_t max_bytes) {
  int64_t bounds[3] = {0, 0, 1};
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_null()) return Value();
    if (!arguments[i].is_integer()) return ArgumentFailure("InvalidArgumentType", "range() needs Integers.");
    bounds[i] = arguments[i].integer();
  }
  const auto [start, end, step] = bounds;
  if (step == 0) return ArgumentFailure("NumberOutOfRange", "The step of range() must not be zero.");
  if (step > 0 ? start > end : start < end) return Value(List());
  const auto distance = step > 0 ? static_cast<uint64_t>(end) - static_cast<uint64_t>(start)
                                 : static_cast<uint64_t>(start) - static_cast<uint64_t>(end);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  const uint64_t last = distance / stride;
  if (last >= max_bytes / sizeof(Value)) return TooLarge("The result of range()");
  List list;
  list.reserve(last + 1);
  for (uint64_t i = 0; i <= last; ++i) list.emplace_back(start + static_cast<int64_t>(i) * step);
  return Value(std::move(list));
}

absl::StatusOr<Value> Size(const Value& value) {
  if (value.is_null()) return Value();
  if (value.is_list()) return Value(value.list().size());
  if (value.is_string()) return Value(text::CountCharacters(value.string()));
  return WrongType("size()", "a List or a String", value);
}

absl::StatusOr<Value> Reverse(const Value& value) {
  if (value.is_null()) return Value();
  if (value.is_list()) return Value(List(value.list().rbegin(), value.list().rend()));
  if (value.is_string()) return Reversed(value.string());
  return WrongType("reverse()", "a List or a String", value);
}

absl::StatusOr<Value> PartOfList(FunctionId function, const Value& value) {
  if (value.is_null()) return Value();
  if (!value.is_list()) return WrongType("head(), last() or tail()", "a List", value);
  const List& list = value.list();
  if (function == FunctionId::kTail) return Value(list.empty() ? List() : List(list.begin() + 1, list.end()));
  if (list.empty()) return Value();
  return function == FunctionId::kHead ? list.front() : list.back();
}

absl::StatusOr<Value> Length(const Value& value) {
  if (value.is_null()) return Value();
  if (!value.is_path()) return WrongType("length()", "a Path", value);
  return Value(value.path().relationships.size());
}

absl::StatusOr<Value> Elements(FunctionId function, const Value& value) {
  if (value.is_null()) return Value();
  if (!value.is_path()) return WrongType("nodes() or relationships()", "a Path", value);
  List list;
  if (function == FunctionId::kNodes) {
    for (const values::Node node : value.path().nodes) list.emplace_back(node);
  } else {
    for (const values::Relationship& relationship : value.path().relationships) list.emplace_back(relationship);
  }
  return Value(std::move(list));
}

absl::StatusOr<Value> Coalesce(absl::Span<const Value> arguments) {
  const auto found =
      std::find_if(arguments.begin(), arguments.end(), [](const Value& value) { return !value.is_null(); });
  return found == arguments.end() ? Value() : *found;
}

}  // namespace

absl::StatusOr<Value> Call(FunctionId function, absl::Span<const Value> arguments, CallContext& context) {
  if (function >= FunctionId::kAbs && function <= FunctionId::kTan && function != FunctionId::kRand) {
    return CallMathematics(function, arguments);
  }
  if (function >= FunctionId::kLeft && function <= FunctionId::kTrim) {
    return CallString(function, arguments, context.max_bytes);
  }
  if (function >= FunctionId::kDate && function <= FunctionId::kTimestamp) {
    return CallTemporal(function, arguments, context.now);
  }
  switch (function) {
    case FunctionId::kCoalesce:
      return Coalesce(arguments);
    case FunctionId::kExists:
      return Value(!arguments[0].is_null());
    case FunctionId::kHead:
    case FunctionId::kLast:
    case FunctionId::kTail:
      return PartOfList(function, arguments[0]);
    case FunctionId::kLength:
      return Length(arguments[0]);
    case FunctionId::kNodes:
    case FunctionId::kRelationships:
      return Elements(function, arguments[0]);
    case FunctionId::kRand:
      return Value(std::uniform_real_distribution<double>()(context.random));
    case FunctionId::kRange:
      return Range(arguments, context.max_bytes);
    case FunctionId::kReverse:
      return Reverse(arguments[0]);
    case FunctionId::kSize:
      return Size(arguments[0]);
    case FunctionId::kToBoolean:
      return ToBoolean(arguments[0]);
    case FunctionId::kToFloat:
      return ToFloat(arguments[0]);
    case FunctionId::kToInteger:
      return ToInteger(arguments[0]);
    case FunctionId::kToString:
      return ToString(arguments[0]);
    default:
      return absl::InternalError("a function of the graph");
  }
}

absl::StatusOr<Value> Matches(const Value& text, const Value& pattern, CallContext& context) {
  if (!text.is_string() || !pattern.is_string()) return Value();
  if (context.pattern == nullptr || context.pattern->pattern() != pattern.string()) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMaxPatternMemory);
    context.pattern = std::make_unique<RE2>(pattern.string(), options);
  }
  if (!context.pattern->ok()) {
    return ArgumentFailure("InvalidArgumentValue",
                           absl::StrCat("The pattern of =~ is no regular expression: ", context.pattern->error()));
  }
  if (StepsOfMatch(text, context) > kMaxStepsOfMatch) {
    return Failure("ResourceError", "TimeLimitExceeded", "The text is too long for this pattern of =~.");
  }
  return Value(RE2::FullMatch(text.string(), *context.pattern));
}

size_t StepsOfMatch(const Value& text, const CallContext& context) {
  if (!text.is_string() || context.pattern == nullptr || !context.pattern->ok()) return 0;
  return text.string().size() * static_cast<size_t>(context.pattern->ProgramSize());
}

}  // namespace toolgate::executors::cypher::functions
