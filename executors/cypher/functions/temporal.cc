#include "executors/cypher/functions/temporal.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/temporal/between.h"
#include "executors/cypher/temporal/construct.h"
#include "executors/cypher/temporal/error.h"
#include "executors/cypher/temporal/field.h"
#include "executors/cypher/temporal/parse.h"
#include "executors/cypher/temporal/truncate.h"

namespace toolgate::executors::cypher::functions {
namespace {

using syntax::FunctionId;
using temporal::Component;
using temporal::Kind;
using values::Type;
using values::Value;

// The members of a map argument that are not null.
absl::StatusOr<std::vector<Component>> Components(const values::Map& map) {
  std::vector<Component> components;
  for (const auto& [name, value] : map) {
    switch (value.type()) {
      case Type::kNull:
        break;
      case Type::kInteger:
        components.push_back({name, value.integer()});
        break;
      case Type::kFloat:
        components.push_back({name, value.floating()});
        break;
      case Type::kString:
        components.push_back({name, value.string()});
        break;
      case Type::kTemporal:
        components.push_back({name, value.temporal()});
        break;
      default:
        return WrongType(absl::StrCat("The member ", name), "a number, a String or a temporal value", value);
    }
  }
  return components;
}

absl::StatusOr<Value> Construct(Kind kind, absl::Span<const Value> arguments, absl::Time now) {
  if (arguments.empty()) return FromTemporal(temporal::Now(kind, now));
  const Value& argument = arguments[0];
  switch (argument.type()) {
    case Type::kNull:
      return Value();
    case Type::kString:
      return FromTemporal(temporal::Parse(kind, argument.string()));
    case Type::kTemporal:
      return FromTemporal(temporal::Select(kind, argument.temporal()));
    case Type::kMap: {
      ASSIGN_OR_RETURN(const std::vector<Component> components, Components(argument.map()));
      return FromTemporal(temporal::FromMap(kind, components, now));
    }
    default:
      return WrongType(absl::StrCat(ToAbsl(temporal::FunctionName(kind)), "()"), "a String, a Map or a temporal value",
                       argument);
  }
}

// date.transaction('America/Los Angeles') and its siblings: the present in a time zone.
absl::StatusOr<Value> Present(Kind kind, absl::Span<const Value> arguments, absl::Time now) {
  if (arguments.empty()) return FromTemporal(temporal::Now(kind, now));
  if (arguments[0].is_null()) return Value();
  if (!arguments[0].is_string()) return WrongType("A time zone", "a String", arguments[0]);
  const std::vector<Component> zone = {{"timezone", arguments[0].string()}};
  return FromTemporal(temporal::FromMap(kind, zone, now));
}

absl::StatusOr<Value> TruncateTo(Kind kind, absl::Span<const Value> arguments, absl::Time now) {
  const Value& unit = arguments[0];
  if (unit.is_null()) return Value();
  if (!unit.is_string()) return WrongType("The unit of truncate()", "a String", unit);
  Value value;
  if (arguments.size() > 1) {
    value = arguments[1];
  } else {
    ASSIGN_OR_RETURN(value, FromTemporal(temporal::Now(kind, now)));
  }
  if (value.is_null()) return Value();
  if (!value.is_temporal()) return WrongType("truncate()", "a temporal value", value);
  std::vector<Component> components;
  if (arguments.size() > 2 && !arguments[2].is_null()) {
    if (!arguments[2].is_map()) return WrongType("truncate()", "a Map of fields", arguments[2]);
    ASSIGN_OR_RETURN(components, Components(arguments[2].map()));
  }
  return FromTemporal(temporal::Truncate(kind, unit.string(), value.temporal(), components));
}

using BetweenFunction = absl::StatusOr<temporal::Duration> (*)(const temporal::Temporal&, const temporal::Temporal&);

absl::StatusOr<Value> Span(BetweenFunction between, absl::Span<const Value> arguments) {
  for (const Value& argument : arguments) {
    if (argument.is_null()) return Value();
    if (!argument.is_temporal()) return WrongType("duration.between()", "temporal values", argument);
  }
  return FromTemporal(between(arguments[0].temporal(), arguments[1].temporal()));
}

absl::StatusOr<Value> Epoch(absl::Span<const Value> arguments, bool milliseconds) {
  for (const Value& argument : arguments) {
    if (argument.is_null()) return Value();
    if (!argument.is_integer()) return WrongType("datetime.fromepoch()", "Integers", argument);
  }
  if (milliseconds) return FromTemporal(temporal::FromEpochMillis(arguments[0].integer()));
  return FromTemporal(temporal::FromEpoch(arguments[0].integer(), arguments.size() > 1 ? arguments[1].integer() : 0));
}

}  // namespace

absl::Status TemporalFailure(const absl::Status& status) {
  const std::string detail = temporal::DetailOf(status);
  if (detail.empty()) return status;
  const std::string_view kind = detail == "InvalidArgumentType" ? "TypeError" : "ArgumentError";
  return Failure(kind, detail, FromAbsl(status.message()));
}

absl::StatusOr<Value> CallTemporal(FunctionId function, absl::Span<const Value> arguments, absl::Time now) {
  switch (function) {
    case FunctionId::kDate:
      return Construct(Kind::kDate, arguments, now);
    case FunctionId::kDateTime:
      return Construct(Kind::kDateTime, arguments, now);
    case FunctionId::kLocalDateTime:
      return Construct(Kind::kLocalDateTime, arguments, now);
    case FunctionId::kLocalTime:
      return Construct(Kind::kLocalTime, arguments, now);
    case FunctionId::kTime:
      return Construct(Kind::kTime, arguments, now);
    case FunctionId::kDuration:
      return Construct(Kind::kDuration, arguments, now);
    case FunctionId::kDateRealtime:
    case FunctionId::kDateStatement:
    case FunctionId::kDateTransaction:
      return Present(Kind::kDate, arguments, now);
    case FunctionId::kDateTimeRealtime:
    case FunctionId::kDateTimeStatement:
    case FunctionId::kDateTimeTransaction:
      return Present(Kind::kDateTime, arguments, now);
    case FunctionId::kLocalDateTimeRealtime:
    case FunctionId::kLocalDateTimeStatement:
    case FunctionId::kLocalDateTimeTransaction:
      return Present(Kind::kLocalDateTime, arguments, now);
    case FunctionId::kLocalTimeRealtime:
    case FunctionId::kLocalTimeStatement:
    case FunctionId::kLocalTimeTransaction:
      return Present(Kind::kLocalTime, arguments, now);
    case FunctionId::kTimeRealtime:
    case FunctionId::kTimeStatement:
    case FunctionId::kTimeTransaction:
      return Present(Kind::kTime, arguments, now);
    case FunctionId::kDateTruncate:
      return TruncateTo(Kind::kDate, arguments, now);
    case FunctionId::kDateTimeTruncate:
      return TruncateTo(Kind::kDateTime, arguments, now);
    case FunctionId::kLocalDateTimeTruncate:
      return TruncateTo(Kind::kLocalDateTime, arguments, now);
    case FunctionId::kLocalTimeTruncate:
      return TruncateTo(Kind::kLocalTime, arguments, now);
    case FunctionId::kTimeTruncate:
      return TruncateTo(Kind::kTime, arguments, now);
    case FunctionId::kDurationBetween:
      return Span(temporal::Between, arguments);
    case FunctionId::kDurationInMonths:
      return Span(temporal::InMonths, arguments);
    case FunctionId::kDurationInDays:
      return Span(temporal::InDays, arguments);
    case FunctionId::kDurationInSeconds:
      return Span(temporal::InSeconds, arguments);
    case FunctionId::kDateTimeFromEpoch:
      return Epoch(arguments, false);
    case FunctionId::kDateTimeFromEpochMillis:
      return Epoch(arguments, true);
    case FunctionId::kTimestamp:
      return Value(absl::ToUnixMillis(now));
    default:
      return absl::InternalError("not a temporal function");
  }
}

absl::StatusOr<Value> TemporalField(const temporal::Temporal& value, std::string_view field) {
  absl::StatusOr<temporal::Field> found = temporal::FieldOf(value, field);
  if (!found.ok()) return TemporalFailure(found.status());
  if (const auto* number = std::get_if<int64_t>(&*found)) return Value(*number);
  return Value(std::get<std::string>(*std::move(found)));
}

}  // namespace toolgate::executors::cypher::functions
