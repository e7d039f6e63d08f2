#include "executors/cypher/temporal/between.h"

#include "executors/cypher/temporal/assemble.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

// Two values with the same parts. Both have a zone or none: `zoned`. Without dates, `from` and `to` are on 1970-01-01.
struct Pair {
  DateTime from;
  DateTime to;
  bool had_dates = false;  // Before one took the other's.
};

void Fill(const Parts& other, Parts* parts) {
  if (!parts->date) parts->date = other.date;
  if (!parts->zone) {
    parts->zone = other.zone;
    parts->offset = other.offset;
  }
}

// Local times count as UTC, and times of day as of the first day of 1970.
absl::StatusOr<DateTime> Point(const Parts& parts) {
  const LocalDateTime local(parts.date.value_or(Date()), parts.time.value_or(LocalTime()));
  return DateTime::FromLocal(local, parts.zone.value_or(Zone()), parts.offset);
}

absl::StatusOr<Pair> Align(const Temporal& a, const Temporal& b) {
  if (KindOf(a) == Kind::kDuration || KindOf(b) == Kind::kDuration) {
    return InvalidType("a duration lies between two dates or times, not between durations");
  }
  Parts from = Parts::Of(a), to = Parts::Of(b);
  Pair pair;
  pair.had_dates = from.date && to.date;
  const Parts before = from;
  Fill(to, &from);
  Fill(before, &to);
  absl::StatusOr<DateTime> start = Point(from), end = Point(to);
  if (!start.ok()) return start.status();
  // Calendar units count on the clock of the first.
  if (end.ok()) end = end->InZone(start->zone());
  if (!end.ok()) return end.status();
  pair.from = *start;
  pair.to = *end;
  return pair;
}

// The end's date, a day nearer if the last day is not complete.
int64_t EndDay(const LocalDateTime& from, const LocalDateTime& to) {
  const int64_t day = to.date().epoch_day();
  if (to.date() > from.date() && to.time() < from.time()) return day - 1;
  if (to.date() < from.date() && to.time() > from.time()) return day + 1;
  return day;
}

absl::StatusOr<int64_t> MonthsBetween(const LocalDateTime& from, const LocalDateTime& to) {
  const absl::StatusOr<Date> end = Date::FromEpochDay(EndDay(from, to));
  if (!end.ok()) return end.status();
  // Counts in 32nds of a month, more than a month has days, so that the division cuts off incomplete months.
  const auto position = [](const Date& date) { return (date.year() * 12 + date.month()) * 32 + date.day(); };
  return (position(*end) - position(from.date())) / 32;
}

int64_t DaysBetween(const LocalDateTime& from, const LocalDateTime& to) {
  return EndDay(from, to) - from.date().epoch_day();
}

absl::StatusOr<Duration> TimeBetween(int64_t months, int64_t days, const DateTime& from, const DateTime& to) {
  return Duration::Create(months, days, to.epoch_seconds() - from.epoch_seconds(), to.nanosecond() - from.nanosecond());
}

}  // namespace

absl::StatusOr<Duration> Between(const Temporal& from, const Temporal& to) {
  const absl::StatusOr<Pair> pair = Align(from, to);
  if (!pair.ok()) return pair.status();
  if (!pair->had_dates) return TimeBetween(0, 0, pair->from, pair->to);
  const absl::StatusOr<int64_t> months = MonthsBetween(pair->from.local(), pair->to.local());
  if (!months.ok()) return months.status();
  absl::StatusOr<DateTime> reached = pair->from.PlusMonths(*months);
  if (!reached.ok()) return reached.status();
  const int64_t days = DaysBetween(reached->local(), pair->to.local());
  reached = reached->PlusDays(days);
  if (!reached.ok()) return reached.status();
  return TimeBetween(*months, days, *reached, pair->to);
}

absl::StatusOr<Duration> InMonths(const Temporal& from, const Temporal& to) {
  const absl::StatusOr<Pair> pair = Align(from, to);
  if (!pair.ok()) return pair.status();
  if (!pair->had_dates) return Duration();
  const absl::StatusOr<int64_t> months = MonthsBetween(pair->from.local(), pair->to.local());
  return months.ok() ? Duration::Create(*months, 0, 0, 0) : months.status();
}

absl::StatusOr<Duration> InDays(const Temporal& from, const Temporal& to) {
  const absl::StatusOr<Pair> pair = Align(from, to);
  if (!pair.ok()) return pair.status();
  if (!pair->had_dates) return Duration();
  return Duration::Create(0, DaysBetween(pair->from.local(), pair->to.local()), 0, 0);
}

absl::StatusOr<Duration> InSeconds(const Temporal& from, const Temporal& to) {
  const absl::StatusOr<Pair> pair = Align(from, to);
  if (!pair.ok()) return pair.status();
  return TimeBetween(0, 0, pair->from, pair->to);
}

}  // namespace toolgate::executors::cypher::temporal
