#include "executors/cypher/temporal/field.h"

#include <optional>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/absl_bridge.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

// A field of T by name. `get` may exceed 64 bits only for durations.
template <typename T>
struct NumberField {
  std::string_view name;
  absl::int128 (*get)(const T& value);
};

constexpr NumberField<Date> kDateFields[] = {
    {"year", [](const Date& d) -> absl::int128 { return d.year(); }},
    {"quarter", [](const Date& d) -> absl::int128 { return d.quarter(); }},
    {"month", [](const Date& d) -> absl::int128 { return d.month(); }},
    {"weekYear", [](const Date& d) -> absl::int128 { return d.week_year(); }},
    {"week", [](const Date& d) -> absl::int128 { return d.week(); }},
    {"day", [](const Date& d) -> absl::int128 { return d.day(); }},
    {"ordinalDay", [](const Date& d) -> absl::int128 { return d.ordinal_day(); }},
    {"dayOfQuarter", [](const Date& d) -> absl::int128 { return d.day_of_quarter(); }},
    {"weekDay", [](const Date& d) -> absl::int128 { return d.day_of_week(); }},
    {"dayOfWeek", [](const Date& d) -> absl::int128 { return d.day_of_week(); }},
};

constexpr NumberField<LocalTime> kTimeFields[] = {
    {"hour", [](const LocalTime& t) -> absl::int128 { return t.hour(); }},
    {"minute", [](const LocalTime& t) -> absl::int128 { return t.minute(); }},
    {"second", [](const LocalTime& t) -> absl::int128 { return t.second(); }},
    {"millisecond", [](const LocalTime& t) -> absl::int128 { return t.nanosecond() / 1'000'000; }},
    {"microsecond", [](const LocalTime& t) -> absl::int128 { return t.nanosecond() / 1'000; }},
    {"nanosecond", [](const LocalTime& t) -> absl::int128 { return t.nanosecond(); }},
};

constexpr NumberField<int32_t> kOffsetFields[] = {
    {"offsetMinutes", [](const int32_t& seconds) -> absl::int128 { return seconds / 60; }},
    {"offsetSeconds", [](const int32_t& seconds) -> absl::int128 { return seconds; }},
};

constexpr NumberField<DateTime> kInstantFields[] = {
    {"epochSeconds", [](const DateTime& t) -> absl::int128 { return t.epoch_seconds(); }},
    {"epochMillis",
     [](const DateTime& t) -> absl::int128 {
       return absl::int128{t.epoch_seconds()} * 1'000 + t.nanosecond() / 1'000'000;
     }},
};

constexpr NumberField<Duration> kDurationFields[] = {
    {"years", [](const Duration& d) -> absl::int128 { return d.months() / 12; }},
    {"quarters", [](const Duration& d) -> absl::int128 { return d.months() / 3; }},
    {"months", [](const Duration& d) -> absl::int128 { return d.months(); }},
    {"weeks", [](const Duration& d) -> absl::int128 { return d.days() / 7; }},
    {"days", [](const Duration& d) -> absl::int128 { return d.days(); }},
    {"hours", [](const Duration& d) -> absl::int128 { return d.seconds() / 3'600; }},
    {"minutes", [](const Duration& d) -> absl::int128 { return d.seconds() / 60; }},
    {"seconds", [](const Duration& d) -> absl::int128 { return d.seconds(); }},
    {"milliseconds",
     [](const Duration& d) -> absl::int128 { return absl::int128{d.seconds()} * 1'000 + d.nanos() / 1'000'000; }},
    {"microseconds",
     [](const Duration& d) -> absl::int128 { return absl::int128{d.seconds()} * 1'000'000 + d.nanos() / 1'000; }},
    {"nanoseconds",
     [](const Duration& d) -> absl::int128 { return absl::int128{d.seconds()} * kNanosPerSecond + d.nanos(); }},
    {"quartersOfYear", [](const Duration& d) -> absl::int128 { return d.months() / 3 % 4; }},
    {"monthsOfQuarter", [](const Duration& d) -> absl::int128 { return d.months() % 3; }},
    {"monthsOfYear", [](const Duration& d) -> absl::int128 { return d.months() % 12; }},
    {"daysOfWeek", [](const Duration& d) -> absl::int128 { return d.days() % 7; }},
    {"minutesOfHour", [](const Duration& d) -> absl::int128 { return d.seconds() / 60 % 60; }},
    {"secondsOfMinute", [](const Duration& d) -> absl::int128 { return d.seconds() % 60; }},
    {"millisecondsOfSecond", [](const Duration& d) -> absl::int128 { return d.nanos() / 1'000'000; }},
    {"microsecondsOfSecond", [](const Duration& d) -> absl::int128 { return d.nanos() / 1'000; }},
    {"nanosecondsOfSecond", [](const Duration& d) -> absl::int128 { return d.nanos(); }},
};

// A field that was found: its value, or OutOfRange.
using Found = std::optional<absl::StatusOr<Field>>;

absl::StatusOr<Field> Number(absl::int128 number, std::string_view name) {
  const int64_t narrow = static_cast<int64_t>(number);
  if (absl::int128{narrow} != number) return OutOfRange(absl::StrCat("'", ToAbsl(name), "' exceeds 64 bits"));
  return Field(narrow);
}

template <typename T, size_t N>
Found Find(const NumberField<T> (&fields)[N], const T& value, std::string_view name) {
  for (const NumberField<T>& field : fields) {
    if (field.name == name) return Number(field.get(value), name);
  }
  return std::nullopt;
}

Found FindOffset(int32_t offset, const std::string& zone, std::string_view name) {
  if (name == "timezone") return Field(zone);
  if (name == "offset") return Field(OffsetText(offset));
  return Find(kOffsetFields, offset, name);
}

Found FindIn(const Date& value, std::string_view name) { return Find(kDateFields, value, name); }

Found FindIn(const LocalTime& value, std::string_view name) { return Find(kTimeFields, value, name); }

Found FindIn(const Time& value, std::string_view name) {
  if (Found found = FindIn(value.local(), name)) return found;
  return FindOffset(value.offset(), OffsetText(value.offset()), name);
}

Found FindIn(const LocalDateTime& value, std::string_view name) {
  if (Found found = FindIn(value.date(), name)) return found;
  return FindIn(value.time(), name);
}

Found FindIn(const DateTime& value, std::string_view name) {
  if (Found found = FindIn(value.local(), name)) return found;
  if (Found found = Find(kInstantFields, value, name)) return found;
  return FindOffset(value.offset(), value.zone().ToString(), name);
}

Found FindIn(const Duration& value, std::string_view name) { return Find(kDurationFields, value, name); }

}  // namespace

absl::StatusOr<Field> FieldOf(const Temporal& value, std::string_view name) {
  Found found = std::visit([name](const auto& alternative) { return FindIn(alternative, name); }, value);
  if (found.has_value()) return *std::move(found);
  return InvalidValue(
      absl::StrCat("a ", ToAbsl(FunctionName(KindOf(value))), " has no field '", ToAbsl(name.substr(0, 40)), "'"));
}

}  // namespace toolgate::executors::cypher::temporal
