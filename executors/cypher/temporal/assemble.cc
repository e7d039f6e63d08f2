#include "executors/cypher/temporal/assemble.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

absl::Status Needs(std::string_view member, std::string_view other) {
  return InvalidValue(absl::StrCat("'", ToAbsl(member), "' needs '", ToAbsl(other), "' beside it"));
}

// Ways to name a day of a year.
enum class DateForm { kCalendar, kWeek, kQuarter, kOrdinal };

// Calendar when only the year is given.
absl::StatusOr<DateForm> FormOf(const DateFields& fields) {
  const bool week = fields.week || fields.day_of_week;
  const bool quarter = fields.quarter || fields.day_of_quarter;
  const bool ordinal = fields.ordinal_day.has_value();
  const bool calendar = fields.month || fields.day;
  if (week + quarter + ordinal + calendar > 1) {
    return InvalidValue(
        "a date is given by month and day, or week and dayOfWeek, or quarter and dayOfQuarter, or ordinalDay; the map "
        "mixes two of them");
  }
  if (week) return DateForm::kWeek;
  if (quarter) return DateForm::kQuarter;
  return ordinal ? DateForm::kOrdinal : DateForm::kCalendar;
}

// Without a date to start from, each member needs the next larger one.
absl::StatusOr<Date> NewDate(const DateFields& fields, DateForm form) {
  if (!fields.year) return InvalidValue("a date needs 'year', or another date to take it from");
  switch (form) {
    case DateForm::kWeek:
      if (!fields.week) return Needs("dayOfWeek", "week");
      return Date::FromWeek(*fields.year, *fields.week, fields.day_of_week.value_or(1));
    case DateForm::kQuarter:
      if (!fields.quarter) return Needs("dayOfQuarter", "quarter");
      return Date::FromQuarter(*fields.year, *fields.quarter, fields.day_of_quarter.value_or(1));
    case DateForm::kOrdinal:
      return Date::FromOrdinal(*fields.year, *fields.ordinal_day);
    case DateForm::kCalendar:
      break;
  }
  if (fields.day && !fields.month) return Needs("day", "month");
  return Date::FromCalendar(*fields.year, fields.month.value_or(1), fields.day.value_or(1));
}

// A day that was given must exist; one of the base becomes the last one of a shorter month.
absl::StatusOr<Date> ChangedCalendar(int64_t year, int64_t month, std::optional<int64_t> day, const Date& base) {
  if (day.has_value()) return Date::FromCalendar(year, month, *day);
  return Date::FromCalendarClamped(year, month, base.day());
}

absl::StatusOr<Date> ChangedQuarter(const DateFields& fields, const Date& base) {
  const int64_t year = fields.year.value_or(base.year());
  const int64_t quarter = fields.quarter.value_or(base.quarter());
  if (fields.day_of_quarter) return Date::FromQuarter(year, quarter, *fields.day_of_quarter);
  if (absl::Status status = Date::FromQuarter(year, quarter, 1).status(); !status.ok()) return status;
  return ChangedCalendar(year, quarter * 3 - 2 + (base.month() - 1) % 3, std::nullopt, base);
}

absl::StatusOr<Date> ChangedDate(const DateFields& fields, DateForm form, const Date& base) {
  switch (form) {
    case DateForm::kWeek:
      return Date::FromWeek(fields.year.value_or(base.week_year()), fields.week.value_or(base.week()),
                            fields.day_of_week.value_or(base.day_of_week()));
    case DateForm::kQuarter:
      return ChangedQuarter(fields, base);
    case DateForm::kOrdinal:
      return Date::FromOrdinal(fields.year.value_or(base.year()), *fields.ordinal_day);
    case DateForm::kCalendar:
      break;
  }
  return ChangedCalendar(fields.year.value_or(base.year()), fields.month.value_or(base.month()), fields.day, base);
}

absl::StatusOr<Date> BuildDate(const DateFields& fields, const std::optional<Date>& base) {
  const absl::StatusOr<DateForm> form = FormOf(fields);
  if (!form.ok()) return form.status();
  if (!base.has_value()) return NewDate(fields, *form);
  return fields.empty() ? *base : ChangedDate(fields, *form, *base);
}

absl::Status CheckFraction(std::string_view member, const std::optional<int64_t>& value, int64_t most) {
  if (value.value_or(0) >= 0 && value.value_or(0) <= most) return absl::OkStatus();
  return InvalidValue(absl::StrCat("'", ToAbsl(member), "' is ", *value, "; it must be 0 to ", most));
}

// Beside a larger part, a part of a second counts only what that one leaves.
absl::StatusOr<int64_t> NanosOf(const TimeFields& fields) {
  const int64_t most_micros = fields.millisecond ? 999 : 999'999;
  const int64_t most_nanos = fields.microsecond ? 999 : fields.millisecond ? 999'999 : 999'999'999;
  absl::Status status = CheckFraction("millisecond", fields.millisecond, 999);
  if (status.ok()) status = CheckFraction("microsecond", fields.microsecond, most_micros);
  if (status.ok()) status = CheckFraction("nanosecond", fields.nanosecond, most_nanos);
  if (!status.ok()) return status;
  return fields.millisecond.value_or(0) * 1'000'000 + fields.microsecond.value_or(0) * 1'000 +
         fields.nanosecond.value_or(0);
}

absl::Status CheckNewTime(const TimeFields& fields) {
  if (fields.minute && !fields.hour) return Needs("minute", "hour");
  if (fields.second && !fields.minute) return Needs("second", "minute");
  if (fields.has_fraction() && !fields.second) return Needs("a fraction of a second", "second");
  return absl::OkStatus();
}

absl::StatusOr<LocalTime> BuildTime(const TimeFields& fields, const std::optional<LocalTime>& base) {
  if (!base.has_value()) {
    if (absl::Status status = CheckNewTime(fields); !status.ok()) return status;
  }
  const LocalTime start = base.value_or(LocalTime());
  const absl::StatusOr<int64_t> nanos = NanosOf(fields);
  if (!nanos.ok()) return nanos.status();
  return LocalTime::Create(fields.hour.value_or(start.hour()), fields.minute.value_or(start.minute()),
                           fields.second.value_or(start.second()), fields.has_fraction() ? *nanos : start.nanosecond());
}

absl::StatusOr<DateTime> InNewZone(const LocalDateTime& local, const Parts& base, const std::optional<Zone>& zone,
                                   ZoneChange change) {
  if (!base.zone.has_value() || (zone.has_value() && change == ZoneChange::kKeepLocalTime)) {
    return DateTime::FromLocal(local, zone.value_or(Zone()));
  }
  const absl::StatusOr<DateTime> before = DateTime::FromLocal(local, *base.zone, base.offset);
  return before.ok() && zone.has_value() ? before->InZone(*zone) : before;
}

// With a date, the offset of a named zone is known, and the instant that is to be kept.
absl::StatusOr<Time> InNewZone(const LocalTime& local, const Parts& base, const std::optional<Zone>& zone,
                               ZoneChange change) {
  if (!zone.has_value()) return Time(local, base.offset.value_or(0));
  if (base.date.has_value()) {
    const absl::StatusOr<DateTime> at = InNewZone(LocalDateTime(*base.date, local), base, zone, change);
    if (!at.ok()) return at.status();
    return Time(at->local().time(), at->offset());
  }
  if (!zone->is_offset())
    return InvalidValue("a time of day without a date takes an offset such as +01:00 as time zone");
  const Time there(local, zone->OffsetAt(0));
  const bool converts = base.offset.has_value() && change == ZoneChange::kKeepInstant;
  return converts ? Time(local, *base.offset).AtOffset(there.offset()) : there;
}

template <typename T>
absl::StatusOr<Temporal> Widen(const absl::StatusOr<T>& value) {
  if (!value.ok()) return value.status();
  return Temporal(*value);
}

absl::StatusOr<Temporal> AssembleTime(Kind kind, const Parts& base, const MapFields& fields, ZoneChange change) {
  const absl::StatusOr<LocalTime> time = BuildTime(fields.time, base.time);
  if (kind == Kind::kLocalTime || !time.ok()) return Widen(time);
  return Widen(InNewZone(*time, base, fields.timezone, change));
}

}  // namespace

void Parts::SetZone(const Zone& new_zone, int32_t new_offset) {
  zone = new_zone;
  offset = new_offset;
}

Parts Parts::Of(const Temporal& value) {
  Parts parts;
  if (const auto* const date = std::get_if<Date>(&value)) parts.date = *date;
  if (const auto* const time = std::get_if<LocalTime>(&value)) parts.time = *time;
  if (const auto* const time = std::get_if<Time>(&value)) {
    parts.time = time->local();
    parts.SetZone(*Zone::FromOffset(time->offset()), time->offset());
  }
  const auto* const instant = std::get_if<DateTime>(&value);
  if (instant != nullptr) parts.SetZone(instant->zone(), instant->offset());
  const auto* const local = instant != nullptr ? &instant->local() : std::get_if<LocalDateTime>(&value);
  if (local != nullptr) {
    parts.date = local->date();
    parts.time = local->time();
  }
  return parts;
}

absl::StatusOr<Temporal> Assemble(Kind kind, const Parts& base, const MapFields& fields, ZoneChange change) {
  if (fields.timezone && kind != Kind::kTime && kind != Kind::kDateTime) {
    return InvalidValue(absl::StrCat("a ", ToAbsl(FunctionName(kind)), " has no 'timezone'"));
  }
  if (kind == Kind::kLocalTime || kind == Kind::kTime) return AssembleTime(kind, base, fields, change);
  const absl::StatusOr<Date> date = BuildDate(fields.date, base.date);
  if (kind == Kind::kDate || !date.ok()) return Widen(date);
  const absl::StatusOr<LocalTime> time = BuildTime(fields.time, base.time);
  if (!time.ok()) return time.status();
  const LocalDateTime local(*date, *time);
  if (kind == Kind::kLocalDateTime) return Temporal(local);
  return Widen(InNewZone(local, base, fields.timezone, change));
}

}  // namespace toolgate::executors::cypher::temporal
