#include "executors/cypher/temporal/parse.h"

#include <array>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/temporal/decimal.h"
#include "executors/cypher/temporal/duration_sum.h"
#include "executors/cypher/temporal/error.h"
#include "executors/cypher/temporal/scanner.h"
#include "executors/cypher/temporal/zone.h"

namespace toolgate::executors::cypher::temporal {
namespace {

absl::Status Malformed(std::string_view what, std::string_view text, std::string_view example) {
  return InvalidValue(
      absl::StrCat("'", ToAbsl(text.substr(0, 80)), "' is no ", ToAbsl(what), " such as ", ToAbsl(example)));
}

absl::Status MalformedDate(std::string_view text) {
  return Malformed("date", text, "2015-07-21, 20150721, 2015-W30-2 or 2015-202");
}

// A trailing number of a date: taken if any digits are left, 1 otherwise, nothing if it has the wrong length. A hyphen
// stands before it in the extended form, and may be missing in the basic one.
std::optional<int64_t> TakeLast(Scanner* scanner, size_t least, size_t most) {
  if (scanner->at_end()) return 1;
  scanner->Take('-');
  const std::optional<int64_t> number = scanner->TakeNumber(least, most);
  return scanner->at_end() ? number : std::nullopt;
}

absl::StatusOr<Date> ParseWeekDate(int64_t year, Scanner scanner, std::string_view text) {
  const std::optional<int64_t> week = scanner.TakeNumber(2, 2);
  const std::optional<int64_t> day = TakeLast(&scanner, 1, 1);
  return week && day ? Date::FromWeek(year, *week, *day) : MalformedDate(text);
}

absl::StatusOr<Date> ParseQuarterDate(int64_t year, Scanner scanner, std::string_view text) {
  const std::optional<int64_t> quarter = scanner.TakeNumber(1, 1);
  const std::optional<int64_t> day = TakeLast(&scanner, 1, 2);
  return quarter && day ? Date::FromQuarter(year, *quarter, *day) : MalformedDate(text);
}

absl::StatusOr<Date> ParseOrdinalDate(int64_t year, Scanner scanner, std::string_view text) {
  const std::optional<int64_t> day = scanner.TakeNumber(3, 3);
  return day && scanner.at_end() ? Date::FromOrdinal(year, *day) : MalformedDate(text);
}

absl::StatusOr<Date> ParseCalendarDate(int64_t year, Scanner scanner, bool extended, std::string_view text) {
  const std::optional<int64_t> month = scanner.TakeNumber(extended ? 1 : 2, 2);
  const bool wrong_form = !scanner.at_end() && (scanner.rest().front() == '-') != extended;
  const std::optional<int64_t> day = TakeLast(&scanner, extended ? 1 : 2, 2);
  return month && day && !wrong_form ? Date::FromCalendar(year, *month, *day) : MalformedDate(text);
}

// Everything after the year.
absl::StatusOr<Date> ParseAfterYear(int64_t year, Scanner scanner, std::string_view text) {
  if (scanner.at_end()) return Date::FromCalendar(year, 1, 1);
  const bool extended = scanner.Take('-');
  if (scanner.Take('W')) return ParseWeekDate(year, scanner, text);
  if (scanner.Take('Q')) return ParseQuarterDate(year, scanner, text);
  if (scanner.CountDigits() == 3) return ParseOrdinalDate(year, scanner, text);
  return ParseCalendarDate(year, scanner, extended, text);
}

absl::StatusOr<Date> ParseDate(std::string_view text) {
  Scanner scanner(text);
  const bool negative = scanner.Take('-');
  const bool has_sign = negative || scanner.Take('+');
  const std::optional<int64_t> year = has_sign ? scanner.TakeNumber(1, 9) : scanner.TakeNumber(4, 4);
  if (!year.has_value()) return MalformedDate(text);
  return ParseAfterYear(negative ? -*year : *year, scanner, text);
}

// One more part of a time: 0 when the text is at its end. The colon decides between the forms.
std::optional<int64_t> TakePart(Scanner* scanner, bool extended) {
  if (scanner->at_end()) return 0;
  if (extended && !scanner->Take(':')) return std::nullopt;
  return scanner->TakeNumber(extended ? 1 : 2, 2);
}

absl::StatusOr<LocalTime> ParseLocalTime(std::string_view text) {
  Scanner scanner(text);
  const bool extended = text.find(':') != std::string_view::npos;
  const std::optional<int64_t> hour = scanner.TakeNumber(extended ? 1 : 2, 2);
  const std::optional<int64_t> minute = TakePart(&scanner, extended);
  const bool has_second = !scanner.at_end();
  const std::optional<int64_t> second = TakePart(&scanner, extended);
  const std::optional<int64_t> nanos = has_second ? scanner.TakeFractionOfSecond() : 0;
  if (!hour || !minute || !second || !nanos || !scanner.at_end()) {
    return Malformed("time", text, "21:40:32.142 or 214032.142");
  }
  return LocalTime::Create(*hour, *minute, *second, *nanos);
}

// A time and what follows it from the first "Z", sign or bracket.
struct ZonedText {
  std::string_view time;
  std::string_view offset;  // Empty when there is none.
  std::string_view name;    // Without brackets; empty when there is none.
  bool well_formed = true;
};

ZonedText SplitZone(std::string_view text) {
  ZonedText parts;
  const size_t bracket = text.find('[');
  if (bracket != std::string_view::npos) {
    parts.well_formed = text.back() == ']' && text.size() > bracket + 2;
    if (parts.well_formed) parts.name = text.substr(bracket + 1, text.size() - bracket - 2);
    text = text.substr(0, bracket);
  }
  const size_t end = text.find_first_of("Z+-");
  parts.time = text.substr(0, end);
  if (end != std::string_view::npos) parts.offset = text.substr(end);
  return parts;
}

absl::StatusOr<Time> ParseTime(std::string_view text) {
  const ZonedText parts = SplitZone(text);
  const std::optional<int32_t> offset = parts.offset.empty() ? 0 : ParseOffset(parts.offset);
  if (!parts.well_formed || !parts.name.empty() || !offset) {
    return Malformed("time with an offset", text, "21:40:32.142+01:00");
  }
  const absl::StatusOr<LocalTime> local = ParseLocalTime(parts.time);
  if (!local.ok()) return local.status();
  return Time(*local, *offset);
}

absl::StatusOr<LocalDateTime> ParseDateAndTime(std::string_view date_text, std::optional<std::string_view> time_text) {
  const absl::StatusOr<Date> date = ParseDate(date_text);
  if (!date.ok()) return date.status();
  const absl::StatusOr<LocalTime> time = time_text.has_value() ? ParseLocalTime(*time_text) : LocalTime();
  if (!time.ok()) return time.status();
  return LocalDateTime(*date, *time);
}

absl::StatusOr<LocalDateTime> ParseLocalDateTime(std::string_view text) {
  const size_t t = text.find('T');
  if (t == std::string_view::npos) return ParseDateAndTime(text, std::nullopt);
  return ParseDateAndTime(text.substr(0, t), text.substr(t + 1));
}

// The local time at the offset, in the zone, where that offset must be the one in force.
absl::StatusOr<DateTime> AtOffsetInZone(const LocalDateTime& local, int32_t offset, const Zone& zone) {
  const int64_t instant = local.seconds() - offset;
  if (zone.OffsetAt(instant) != offset) {
    return InvalidValue(absl::StrCat("the offset of ", ToAbsl(zone.name()), " is then ",
                                     OffsetText(zone.OffsetAt(instant)), ", not ", OffsetText(offset)));
  }
  return DateTime::FromEpoch(instant, local.time().nanosecond(), zone);
}

absl::StatusOr<DateTime> InZoneOf(const LocalDateTime& local, const ZonedText& parts) {
  if (parts.name.empty()) {
    const absl::StatusOr<Zone> zone = parts.offset.empty() ? Zone() : Zone::Parse(parts.offset);
    return zone.ok() ? DateTime::FromLocal(local, *zone) : zone.status();
  }
  const absl::StatusOr<Zone> zone = Zone::Parse(parts.name);
  if (!zone.ok()) return zone.status();
  const std::optional<int32_t> offset = ParseOffset(parts.offset);
  return offset.has_value() ? AtOffsetInZone(local, *offset, *zone) : DateTime::FromLocal(local, *zone);
}

absl::StatusOr<DateTime> ParseDateTime(std::string_view text) {
  const size_t t = text.find('T');
  const size_t bracket = text.find('[');
  // A "T" behind the bracket belongs to the zone's name.
  const bool has_time = t != std::string_view::npos && t < bracket;
  const std::string_view date = text.substr(0, has_time ? t : bracket);
  const ZonedText parts = SplitZone(has_time ? text.substr(t + 1) : text.substr(date.size()));
  const bool bad_offset = !parts.offset.empty() && !ParseOffset(parts.offset).has_value();
  if (!parts.well_formed || bad_offset) {
    return Malformed("date and time", text, "2015-07-21T21:40:32.142+02:00[Europe/Stockholm]");
  }
  const absl::StatusOr<LocalDateTime> local =
      ParseDateAndTime(date, has_time ? std::optional<std::string_view>(parts.time) : std::nullopt);
  return local.ok() ? InZoneOf(*local, parts) : local.status();
}

absl::Status MalformedDuration(std::string_view text) {
  return Malformed("duration", text, "P1Y2M10DT2H30M or P2012-02-02T14:37:21.545");
}

// A unit of a duration's text, and what one of it adds to the sum.
struct DurationUnit {
  char letter;
  void (DurationSum::*add)(const Decimal& count, int64_t size);
  int64_t size;
};

constexpr std::array<DurationUnit, 4> kDateUnits = {{{'Y', &DurationSum::AddMonths, 12},
                                                     {'M', &DurationSum::AddMonths, 1},
                                                     {'W', &DurationSum::AddDays, 7},
                                                     {'D', &DurationSum::AddDays, 1}}};
constexpr std::array<DurationUnit, 3> kTimeUnits = {
    {{'H', &DurationSum::AddSeconds, 3600}, {'M', &DurationSum::AddSeconds, 60}, {'S', &DurationSum::AddSeconds, 1}}};

// Takes numbers with units, each unit at most once and in the given order. False when nothing but the end or a "T" may
// follow and something else does, or when nothing was taken.
template <size_t N>
bool TakeUnits(const std::array<DurationUnit, N>& units, bool negative, Scanner* scanner, DurationSum* sum) {
  size_t next = 0;
  bool any = false;
  while (!scanner->at_end() && scanner->rest().front() != 'T') {
    const absl::StatusOr<Decimal> number = Decimal::Parse(scanner->TakeDecimal());
    while (next < N && !scanner->Take(units[next].letter)) ++next;
    if (!number.ok() || next == N) return false;
    (sum->*units[next].add)(negative ? number->Negated() : *number, units[next].size);
    ++next;
    any = true;
  }
  return any;
}

absl::StatusOr<Duration> ParseUnits(Scanner scanner, bool negative, std::string_view text) {
  DurationSum sum;
  const bool only_time = !scanner.at_end() && scanner.rest().front() == 'T';
  if (!only_time && !TakeUnits(kDateUnits, negative, &scanner, &sum)) return MalformedDuration(text);
  if (scanner.Take('T') && !TakeUnits(kTimeUnits, negative, &scanner, &sum)) return MalformedDuration(text);
  return scanner.at_end() ? sum.Build() : MalformedDuration(text);
}

// YYYY-MM-DD or YYYYMMDD, as months and days.
std::optional<Duration> TakeDateForm(Scanner* scanner) {
  const std::optional<int64_t> years = scanner->TakeNumber(4, 4);
  const bool extended = scanner->Take('-');
  const std::optional<int64_t> months = scanner->TakeNumber(2, 2);
  if (extended && !scanner->Take('-')) return std::nullopt;
  const std::optional<int64_t> days = scanner->TakeNumber(2, 2);
  if (!years || !months || !days || *months > 12 || *days > 31) return std::nullopt;
  return *Duration::Create(*years * 12 + *months, *days, 0, 0);
}

// A date and time after the P.
absl::StatusOr<Duration> ParseDateForm(Scanner scanner, bool negative, std::string_view text) {
  const std::optional<Duration> date = TakeDateForm(&scanner);
  if (!date.has_value()) return MalformedDuration(text);
  absl::StatusOr<LocalTime> time = LocalTime();
  if (scanner.Take('T')) {
    time = ParseLocalTime(scanner.rest());
  } else if (!scanner.at_end()) {
    return MalformedDuration(text);
  }
  if (!time.ok()) return time.status();
  const int64_t seconds = time->second_of_day();
  const absl::StatusOr<Duration> sum = Duration::Create(date->months(), date->days(), seconds, time->nanosecond());
  return sum.ok() && negative ? sum->Negated() : sum;
}

// Whether four digits and a hyphen come next, or eight digits with no unit.
bool IsDateForm(std::string_view rest) {
  const size_t digits = Scanner(rest).CountDigits();
  if (digits == 4) return rest.size() > 4 && rest[4] == '-';
  return digits == 8 && (rest.size() == 8 || rest[8] == 'T');
}

absl::StatusOr<Duration> ParseDuration(std::string_view text) {
  const std::string upper = absl::AsciiStrToUpper(ToAbsl(text));
  Scanner scanner(upper);
  const bool negative = scanner.Take('-');
  if (!negative) scanner.Take('+');
  if (!scanner.Take('P')) return MalformedDuration(text);
  return IsDateForm(scanner.rest()) ? ParseDateForm(scanner, negative, text) : ParseUnits(scanner, negative, text);
}

template <typename T>
absl::StatusOr<Temporal> Parsed(absl::StatusOr<T> value) {
  if (!value.ok()) return value.status();
  return Temporal(*value);
}

}  // namespace

absl::StatusOr<Temporal> Parse(Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::kDate:
      return Parsed(ParseDate(text));
    case Kind::kLocalTime:
      return Parsed(ParseLocalTime(text));
    case Kind::kTime:
      return Parsed(ParseTime(text));
    case Kind::kLocalDateTime:
      return Parsed(ParseLocalDateTime(text));
    case Kind::kDateTime:
      return Parsed(ParseDateTime(text));
    case Kind::kDuration:
      return Parsed(ParseDuration(text));
  }
  return InvalidType("unknown temporal type");
}

}  // namespace toolgate::executors::cypher::temporal
