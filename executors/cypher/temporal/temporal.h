// The six temporal types as one value: its kind, text and order. Its fields are in field.h.
#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TEMPORAL_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TEMPORAL_H_

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "executors/cypher/temporal/date.h"
#include "executors/cypher/temporal/date_time.h"
#include "executors/cypher/temporal/duration.h"
#include "executors/cypher/temporal/local_date_time.h"
#include "executors/cypher/temporal/local_time.h"
#include "executors/cypher/temporal/time.h"

namespace toolgate::executors::cypher::temporal {

// == compares kind and value: values of two kinds are never equal.
using Temporal = std::variant<Date, LocalTime, Time, LocalDateTime, DateTime, Duration>;

// In the order of Temporal's alternatives.
enum class Kind { kDate, kLocalTime, kTime, kLocalDateTime, kDateTime, kDuration };

Kind KindOf(const Temporal& value);

// Whether its values are times without a date: local times and times.
bool IsTimeOfDay(Kind kind);

// The function that makes the kind: "date", "localtime", "time", "localdatetime", "datetime", "duration".
std::string_view FunctionName(Kind kind);
// The kind of such a name in lower case; nothing for another.
std::optional<Kind> KindOfFunction(std::string_view name);

// Cypher's toString.
std::string ToString(const Temporal& value);

// Cypher's <, <=, > and >=: nothing when the kinds differ, and for durations.
std::optional<std::strong_ordering> Compare(const Temporal& a, const Temporal& b);

// Total order for ORDER BY, min and max within one kind; the kinds are ordered as in Kind.
std::strong_ordering Order(const Temporal& a, const Temporal& b);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TEMPORAL_H_
