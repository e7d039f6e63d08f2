// The functions that a query may call: names, arity and the kinds of arguments, in one table for checks and evaluation.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_FUNCTIONS_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_FUNCTIONS_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace toolgate::executors::cypher::syntax {

// A set of kinds of values, as far as the text of a query shows them. Null belongs to every kind.
using TypeSet = uint32_t;
inline constexpr TypeSet kBooleanType = 1 << 0;
inline constexpr TypeSet kIntegerType = 1 << 1;
inline constexpr TypeSet kFloatType = 1 << 2;
inline constexpr TypeSet kStringType = 1 << 3;
inline constexpr TypeSet kListType = 1 << 4;
inline constexpr TypeSet kMapType = 1 << 5;
inline constexpr TypeSet kNodeType = 1 << 6;
inline constexpr TypeSet kRelationshipType = 1 << 7;
inline constexpr TypeSet kPathType = 1 << 8;
inline constexpr TypeSet kTemporalType = 1 << 9;  // Dates, times and both together.
inline constexpr TypeSet kDurationType = 1 << 10;
inline constexpr TypeSet kNumberType = kIntegerType | kFloatType;
inline constexpr TypeSet kAnyType = (1 << 11) - 1;

enum class FunctionId {
  // Aggregates.
  kAvg,
  kCollect,
  kCount,
  kMax,
  kMin,
  kPercentileCont,
  kPercentileDisc,
  kStDev,
  kStDevP,
  kSum,
  // Graph.
  kEndNode,
  kId,
  kKeys,
  kLabels,
  kLength,
  kNodes,
  kProperties,
  kRelationships,
  kStartNode,
  kType,
  // Lists, and values of any kind.
  kCoalesce,
  kExists,
  kHead,
  kLast,
  kRange,
  kReverse,
  kSize,
  kTail,
  kToBoolean,
  kToFloat,
  kToInteger,
  kToString,
  // Mathematics.
  kAbs,
  kAcos,
  kAsin,
  kAtan,
  kAtan2,
  kCeil,
  kCos,
  kCot,
  kDegrees,
  kE,
  kExp,
  kFloor,
  kHaversin,
  kLog,
  kLog10,
  kPi,
  kRadians,
  kRand,
  kRound,
  kSign,
  kSin,
  kSqrt,
  kTan,
  // Strings.
  kLeft,
  kLTrim,
  kReplace,
  kRight,
  kRTrim,
  kSplit,
  kSubstring,
  kToLower,
  kToUpper,
  kTrim,
  // Dates, times and durations.
  kDate,
  kDateRealtime,
  kDateStatement,
  kDateTransaction,
  kDateTruncate,
  kDateTime,
  kDateTimeFromEpoch,
  kDateTimeFromEpochMillis,
  kDateTimeRealtime,
  kDateTimeStatement,
  kDateTimeTransaction,
  kDateTimeTruncate,
  kDuration,
  kDurationBetween,
  kDurationInDays,
  kDurationInMonths,
  kDurationInSeconds,
  kLocalDateTime,
  kLocalDateTimeRealtime,
  kLocalDateTimeStatement,
  kLocalDateTimeTransaction,
  kLocalDateTimeTruncate,
  kLocalTime,
  kLocalTimeRealtime,
  kLocalTimeStatement,
  kLocalTimeTransaction,
  kLocalTimeTruncate,
  kTime,
  kTimeRealtime,
  kTimeStatement,
  kTimeTransaction,
  kTimeTruncate,
  kTimestamp,
};

inline constexpr int kUnboundedArguments = -1;

struct Function {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order in which the table is read.
  FunctionId id;
  std::string_view name;  // Canonical spelling; case does not matter in a query.
  int min_arguments;
  int max_arguments;  // Or kUnboundedArguments.
  // Kinds each argument may have; the last entry that is not 0 holds for all further arguments. A query whose argument
  // can only be of another kind is refused before it runs; otherwise the check is the function's own, at run time.
  std::array<TypeSet, 3> arguments;
  TypeSet result;
  bool aggregate = false;
  bool deterministic = true;  // Same arguments, same result within one query.
};

// All functions, sorted by nothing in particular.
absl::Span<const Function> Functions();

// The function of that name in any case ("tolower", "Date.Truncate"), or null.
const Function* FindFunction(std::string_view name);

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_FUNCTIONS_H_
