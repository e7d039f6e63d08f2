#include "executors/cypher/syntax/functions.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::cypher::syntax {
namespace {

constexpr TypeSet kEntityType = kNodeType | kRelationshipType;
constexpr TypeSet kAny = kAnyType;

using Id = FunctionId;

// Argument kinds are narrow only where any other kind is an error before the query runs.
constexpr Function kFunctions[] = {
    // id, name, least and most arguments, kinds of arguments, kind of result, aggregate, deterministic
    {Id::kAvg, "avg", 1, 1, {kAny}, kAny, true},
    {Id::kCollect, "collect", 1, 1, {kAny}, kListType, true},
    {Id::kCount, "count", 1, 1, {kAny}, kIntegerType, true},
    {Id::kMax, "max", 1, 1, {kAny}, kAny, true},
    {Id::kMin, "min", 1, 1, {kAny}, kAny, true},
    {Id::kPercentileCont, "percentileCont", 2, 2, {kAny, kAny}, kFloatType, true},
    {Id::kPercentileDisc, "percentileDisc", 2, 2, {kAny, kAny}, kNumberType, true},
    {Id::kStDev, "stDev", 1, 1, {kAny}, kFloatType, true},
    {Id::kStDevP, "stDevP", 1, 1, {kAny}, kFloatType, true},
    {Id::kSum, "sum", 1, 1, {kAny}, kNumberType | kDurationType, true},

    {Id::kEndNode, "endNode", 1, 1, {kRelationshipType}, kNodeType},
    {Id::kId, "id", 1, 1, {kEntityType}, kIntegerType},
    {Id::kKeys, "keys", 1, 1, {kEntityType | kMapType}, kListType},
    {Id::kLabels, "labels", 1, 1, {kNodeType}, kListType},
    {Id::kLength, "length", 1, 1, {kPathType}, kIntegerType},
    {Id::kNodes, "nodes", 1, 1, {kPathType}, kListType},
    {Id::kProperties, "properties", 1, 1, {kEntityType | kMapType}, kMapType},
    {Id::kRelationships, "relationships", 1, 1, {kPathType}, kListType},
    {Id::kStartNode, "startNode", 1, 1, {kRelationshipType}, kNodeType},
    {Id::kType, "type", 1, 1, {kRelationshipType}, kStringType},

    {Id::kCoalesce, "coalesce", 1, kUnboundedArguments, {kAny}, kAny},
    {Id::kExists, "exists", 1, 1, {kAny}, kBooleanType},
    {Id::kHead, "head", 1, 1, {kListType}, kAny},
    {Id::kLast, "last", 1, 1, {kListType}, kAny},
    {Id::kRange, "range", 2, 3, {kAny}, kListType},
    {Id::kReverse, "reverse", 1, 1, {kListType | kStringType}, kListType | kStringType},
    {Id::kSize, "size", 1, 1, {kListType | kStringType}, kIntegerType},
    {Id::kTail, "tail", 1, 1, {kListType}, kListType},
    {Id::kToBoolean, "toBoolean", 1, 1, {kAny}, kBooleanType},
    {Id::kToFloat, "toFloat", 1, 1, {kAny}, kFloatType},
    {Id::kToInteger, "toInteger", 1, 1, {kAny}, kIntegerType},
    {Id::kToString, "toString", 1, 1, {kAny}, kStringType},

    {Id::kAbs, "abs", 1, 1, {kNumberType}, kNumberType},
    {Id::kAcos, "acos", 1, 1, {kNumberType}, kFloatType},
    {Id::kAsin, "asin", 1, 1, {kNumberType}, kFloatType},
    {Id::kAtan, "atan", 1, 1, {kNumberType}, kFloatType},
    {Id::kAtan2, "atan2", 2, 2, {kNumberType}, kFloatType},
    {Id::kCeil, "ceil", 1, 1, {kNumberType}, kFloatType},
    {Id::kCos, "cos", 1, 1, {kNumberType}, kFloatType},
    {Id::kCot, "cot", 1, 1, {kNumberType}, kFloatType},
    {Id::kDegrees, "degrees", 1, 1, {kNumberType}, kFloatType},
    {Id::kE, "e", 0, 0, {}, kFloatType},
    {Id::kExp, "exp", 1, 1, {kNumberType}, kFloatType},
    {Id::kFloor, "floor", 1, 1, {kNumberType}, kFloatType},
    {Id::kHaversin, "haversin", 1, 1, {kNumberType}, kFloatType},
    {Id::kLog, "log", 1, 1, {kNumberType}, kFloatType},
    {Id::kLog10, "log10", 1, 1, {kNumberType}, kFloatType},
    {Id::kPi, "pi", 0, 0, {}, kFloatType},
    {Id::kRadians, "radians", 1, 1, {kNumberType}, kFloatType},
    {Id::kRand, "rand", 0, 0, {}, kFloatType, false, false},
    {Id::kRound, "round", 1, 3, {kAny}, kFloatType},
    {Id::kSign, "sign", 1, 1, {kNumberType}, kIntegerType},
    {Id::kSin, "sin", 1, 1, {kNumberType}, kFloatType},
    {Id::kSqrt, "sqrt", 1, 1, {kNumberType}, kFloatType},
    {Id::kTan, "tan", 1, 1, {kNumberType}, kFloatType},

    {Id::kLeft, "left", 2, 2, {kStringType, kAny}, kStringType},
    {Id::kLTrim, "lTrim", 1, 1, {kStringType}, kStringType},
    {Id::kReplace, "replace", 3, 3, {kStringType}, kStringType},
    {Id::kRight, "right", 2, 2, {kStringType, kAny}, kStringType},
    {Id::kRTrim, "rTrim", 1, 1, {kStringType}, kStringType},
    {Id::kSplit, "split", 2, 2, {kStringType, kAny}, kListType},
    {Id::kSubstring, "substring", 2, 3, {kStringType, kAny}, kStringType},
    {Id::kToLower, "toLower", 1, 1, {kStringType}, kStringType},
    {Id::kToUpper, "toUpper", 1, 1, {kStringType}, kStringType},
    {Id::kTrim, "trim", 1, 1, {kStringType}, kStringType},

    {Id::kDate, "date", 0, 1, {kAny}, kTemporalType},
    {Id::kDateRealtime, "date.realtime", 0, 1, {kAny}, kTemporalType, false, false},
    {Id::kDateStatement, "date.statement", 0, 1, {kAny}, kTemporalType},
    {Id::kDateTransaction, "date.transaction", 0, 1, {kAny}, kTemporalType},
    {Id::kDateTruncate, "date.truncate", 1, 3, {kAny}, kTemporalType},
    {Id::kDateTime, "datetime", 0, 1, {kAny}, kTemporalType},
    {Id::kDateTimeFromEpoch, "datetime.fromepoch", 2, 2, {kAny}, kTemporalType},
    {Id::kDateTimeFromEpochMillis, "datetime.fromepochmillis", 1, 1, {kAny}, kTemporalType},
    {Id::kDateTimeRealtime, "datetime.realtime", 0, 1, {kAny}, kTemporalType, false, false},
    {Id::kDateTimeStatement, "datetime.statement", 0, 1, {kAny}, kTemporalType},
    {Id::kDateTimeTransaction, "datetime.transaction", 0, 1, {kAny}, kTemporalType},
    {Id::kDateTimeTruncate, "datetime.truncate", 1, 3, {kAny}, kTemporalType},
    {Id::kDuration, "duration", 1, 1, {kAny}, kDurationType},
    {Id::kDurationBetween, "duration.between", 2, 2, {kAny}, kDurationType},
    {Id::kDurationInDays, "duration.inDays", 2, 2, {kAny}, kDurationType},
    {Id::kDurationInMonths, "duration.inMonths", 2, 2, {kAny}, kDurationType},
    {Id::kDurationInSeconds, "duration.inSeconds", 2, 2, {kAny}, kDurationType},
    {Id::kLocalDateTime, "localdatetime", 0, 1, {kAny}, kTemporalType},
    {Id::kLocalDateTimeRealtime, "localdatetime.realtime", 0, 1, {kAny}, kTemporalType, false, false},
    {Id::kLocalDateTimeStatement, "localdatetime.statement", 0, 1, {kAny}, kTemporalType},
    {Id::kLocalDateTimeTransaction, "localdatetime.transaction", 0, 1, {kAny}, kTemporalType},
    {Id::kLocalDateTimeTruncate, "localdatetime.truncate", 1, 3, {kAny}, kTemporalType},
    {Id::kLocalTime, "localtime", 0, 1, {kAny}, kTemporalType},
    {Id::kLocalTimeRealtime, "localtime.realtime", 0, 1, {kAny}, kTemporalType, false, false},
    {Id::kLocalTimeStatement, "localtime.statement", 0, 1, {kAny}, kTemporalType},
    {Id::kLocalTimeTransaction, "localtime.transaction", 0, 1, {kAny}, kTemporalType},
    {Id::kLocalTimeTruncate, "localtime.truncate", 1, 3, {kAny}, kTemporalType},
    {Id::kTime, "time", 0, 1, {kAny}, kTemporalType},
    {Id::kTimeRealtime, "time.realtime", 0, 1, {kAny}, kTemporalType, false, false},
    {Id::kTimeStatement, "time.statement", 0, 1, {kAny}, kTemporalType},
    {Id::kTimeTransaction, "time.transaction", 0, 1, {kAny}, kTemporalType},
    {Id::kTimeTruncate, "time.truncate", 1, 3, {kAny}, kTemporalType},
    {Id::kTimestamp, "timestamp", 0, 0, {}, kIntegerType},
};

using FunctionsByName = absl::flat_hash_map<std::string, const Function*>;

const FunctionsByName& ByName() {
  static const auto* const functions = [] {
    auto* map = new FunctionsByName;
    for (const Function& function : kFunctions) map->emplace(absl::AsciiStrToLower(ToAbsl(function.name)), &function);
    return map;
  }();
  return *functions;
}

}  // namespace

absl::Span<const Function> Functions() { return kFunctions; }

const Function* FindFunction(std::string_view name) {
  const auto found = ByName().find(absl::AsciiStrToLower(ToAbsl(name)));
  return found == ByName().end() ? nullptr : found->second;
}

}  // namespace toolgate::executors::cypher::syntax
