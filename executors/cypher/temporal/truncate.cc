#include "executors/cypher/temporal/truncate.h"

#include <array>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/temporal/assemble.h"
#include "executors/cypher/temporal/error.h"
#include "executors/cypher/temporal/map_fields.h"

namespace toolgate::executors::cypher::temporal {
namespace {

// From long to short.
enum class Unit {
  kMillennium,
  kCentury,
  kDecade,
  kYear,
  kWeekYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
};

// In the order of Unit.
constexpr std::array<std::string_view, 14> kUnits = {"millennium", "century", "decade",      "year",       "weekYear",
                                                     "quarter",    "month",   "week",        "day",        "hour",
                                                     "minute",     "second",  "millisecond", "microsecond"};

absl::StatusOr<Unit> UnitOf(std::string_view name) {
  for (size_t i = 0; i < kUnits.size(); ++i) {
    if (absl::EqualsIgnoreCase(ToAbsl(kUnits[i]), ToAbsl(name))) return static_cast<Unit>(i);
  }
  return InvalidValue(absl::StrCat("'", ToAbsl(name.substr(0, 40)),
                                   "' is no unit; it must be one of millennium, century, decade, year, weekYear, "
                                   "quarter, month, week, day, hour, minute, second, millisecond, microsecond"));
}

// January 1 of the last year that `years` divides.
absl::StatusOr<Date> StartOfYears(const Date& date, int64_t years) {
  const int64_t rest = (date.year() % years + years) % years;
  return Date::FromCalendar(date.year() - rest, 1, 1);
}

absl::StatusOr<Date> TruncateDate(Unit unit, const Date& date) {
  switch (unit) {
    case Unit::kMillennium:
      return StartOfYears(date, 1'000);
    case Unit::kCentury:
      return StartOfYears(date, 100);
    case Unit::kDecade:
      return StartOfYears(date, 10);
    case Unit::kYear:
      return StartOfYears(date, 1);
    case Unit::kWeekYear:
      return Date::FromWeek(date.week_year(), 1, 1);
    case Unit::kQuarter:
      return Date::FromQuarter(date.year(), date.quarter(), 1);
    case Unit::kMonth:
      return Date::FromCalendar(date.year(), date.month(), 1);
    case Unit::kWeek:
      return date.PlusDays(1 - date.day_of_week());
    default:
      return date;
  }
}

// Nanoseconds of a unit that is no longer than a day.
int64_t NanosOf(Unit unit) {
  switch (unit) {
    case Unit::kHour:
      return 3'600 * kNanosPerSecond;
    case Unit::kMinute:
      return 60 * kNanosPerSecond;
    case Unit::kSecond:
      return kNanosPerSecond;
    case Unit::kMillisecond:
      return 1'000'000;
    case Unit::kMicrosecond:
      return 1'000;
    default:
      return kNanosPerDay;
  }
}

LocalTime TruncateTime(Unit unit, const LocalTime& time) {
  return LocalTime::FromNanosOfDay(time.nanos_of_day() - time.nanos_of_day() % NanosOf(unit));
}

// Why `value` has nothing that the unit could cut for `kind`.
absl::Status CheckParts(Kind kind, Unit unit, const Parts& parts, const Temporal& value) {
  const std::string_view name = kUnits[static_cast<size_t>(unit)];
  if (kind == Kind::kDuration || KindOf(value) == Kind::kDuration) return InvalidType("a duration cannot be truncated");
  if (IsTimeOfDay(kind) ? unit < Unit::kDay : (kind == Kind::kDate && unit > Unit::kDay)) {
    return InvalidValue(absl::StrCat("a ", ToAbsl(FunctionName(kind)), " cannot be truncated to a ", ToAbsl(name)));
  }
  const bool lacks_time = !parts.time && (unit > Unit::kDay || IsTimeOfDay(kind));
  if ((!IsTimeOfDay(kind) && !parts.date) || lacks_time) {
    return InvalidValue(absl::StrCat("a ", ToAbsl(FunctionName(KindOf(value))), " cannot be truncated to a ",
                                     ToAbsl(name), " as a ", ToAbsl(FunctionName(kind))));
  }
  return absl::OkStatus();
}

// Parts of a second that are set below the unit come on top of what the unit has kept.
void KeepFraction(Unit unit, const LocalTime& time, TimeFields* fields) {
  const bool below_milli = fields->microsecond || fields->nanosecond;
  if (unit == Unit::kMillisecond && below_milli && !fields->millisecond) {
    fields->millisecond = time.nanosecond() / 1'000'000;
  }
  if (unit == Unit::kMicrosecond && fields->nanosecond && !fields->microsecond && !fields->millisecond) {
    fields->microsecond = time.nanosecond() / 1'000;
  }
}

absl::StatusOr<Parts> TruncateParts(Unit unit, Parts parts) {
  if (parts.date) {
    const absl::StatusOr<Date> date = TruncateDate(unit, *parts.date);
    if (!date.ok()) return date.status();
    parts.date = *date;
  }
  parts.time = TruncateTime(unit, parts.time.value_or(LocalTime()));
  return parts;
}

}  // namespace

absl::StatusOr<Temporal> Truncate(Kind kind, std::string_view unit_name, const Temporal& value,
                                  absl::Span<const Component> map) {
  const absl::StatusOr<Unit> unit = UnitOf(unit_name);
  if (!unit.ok()) return unit.status();
  const Parts whole = Parts::Of(value);
  if (absl::Status status = CheckParts(kind, *unit, whole, value); !status.ok()) return status;
  const absl::StatusOr<Parts> parts = TruncateParts(*unit, whole);
  if (!parts.ok()) return parts.status();
  absl::StatusOr<MapFields> fields = MapFields::Read(kind, map);
  if (!fields.ok()) return fields.status();
  if (fields->from_date || fields->from_time || fields->from_datetime || fields->epoch_seconds ||
      fields->epoch_millis) {
    return InvalidValue("the map of truncate() may set single fields and 'timezone' only");
  }
  KeepFraction(*unit, *parts->time, &fields->time);
  return Assemble(kind, *parts, *fields, ZoneChange::kKeepLocalTime);
}

}  // namespace toolgate::executors::cypher::temporal
