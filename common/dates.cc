#include "common/dates.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate {
namespace {

constexpr size_t kMaxText = 64;
constexpr int64_t kMaxCount = 100'000;
constexpr size_t kDayLength = 10;  // YYYY-MM-DD

absl::Status NotADate() { return absl::InvalidArgumentError(absl::StrCat("not a date; write ", ToAbsl(kDateForms))); }

// Exactly `count` digits at `position`.
std::optional<int> Digits(std::string_view text, size_t position, size_t count) {
  if (position + count > text.size()) return std::nullopt;
  int value = 0;
  for (size_t i = position; i < position + count; ++i) {
    if (!absl::ascii_isdigit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

std::optional<int64_t> Count(std::string_view text) {
  if (text == "a" || text == "an" || text == "one") return 1;
  if (text.empty() || text.size() > 6) return std::nullopt;
  const std::optional<int> value = Digits(text, 0, text.size());
  if (!value.has_value() || *value > kMaxCount) return std::nullopt;
  return *value;
}

absl::StatusOr<DateOrTime> Day(absl::CivilDay day) {
  if (day.year() < 1 || day.year() > 9999) return absl::InvalidArgumentError("the year is not within 1 to 9999");
  return DateOrTime{false, day, absl::Time()};
}

absl::StatusOr<DateOrTime> Instant(absl::Time time) {
  const absl::CivilSecond utc = absl::ToCivilSecond(time, absl::UTCTimeZone());
  if (utc.year() < 1 || utc.year() > 9999) return absl::InvalidArgumentError("the year is not within 1 to 9999");
  return DateOrTime{true, absl::CivilDay(), absl::FromCivil(utc, absl::UTCTimeZone())};
}

std::optional<absl::CivilDay> NumericDay(std::string_view text) {
  if (text.size() < kDayLength || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::optional<int> year = Digits(text, 0, 4);
  const std::optional<int> month = Digits(text, 5, 2);
  const std::optional<int> day = Digits(text, 8, 2);
  if (!year.has_value() || !month.has_value() || !day.has_value()) return std::nullopt;
  const absl::CivilDay civil(*year, *month, *day);
  if (civil.month() != *month || civil.day() != *day) return std::nullopt;  // It was normalised: February 30th.
  return civil;
}

struct ClockTime {
  int hour = 0;
  int minute = 0;
  int second = 0;
};

// HH:MM[:SS[.fraction]] at the start of `text`; `length` answers how much of it was read. A leap second counts as the
// second before it, since instants here have none.
std::optional<ClockTime> NumericClock(std::string_view text, size_t* length) {
  const std::optional<int> hour = Digits(text, 0, 2);
  const std::optional<int> minute = Digits(text, 3, 2);
  if (!hour.has_value() || !minute.has_value() || text[2] != ':' || *hour > 23 || *minute > 59) return std::nullopt;
  ClockTime time{*hour, *minute, 0};
  *length = 5;
  if (text.size() <= 5 || text[5] != ':') return time;
  const std::optional<int> second = Digits(text, 6, 2);
  if (!second.has_value() || *second > 60) return std::nullopt;
  time.second = std::min(*second, 59);
  *length = 8;
  if (text.size() <= 8 || text[8] != '.') return time;
  size_t end = 9;
  while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
  if (end == 9) return std::nullopt;
  *length = end;
  return time;
}

// "z" or "+01:00".
std::optional<absl::Duration> Offset(std::string_view text) {
  if (text == "z") return absl::ZeroDuration();
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const std::optional<int> hours = Digits(text, 1, 2);
  const std::optional<int> minutes = Digits(text, 4, 2);
  if (!hours.has_value() || !minutes.has_value() || *hours > 23 || *minutes > 59) return std::nullopt;
  const absl::Duration offset = absl::Hours(*hours) + absl::Minutes(*minutes);
  return text[0] == '-' ? -offset : offset;
}

absl::CivilSecond At(absl::CivilDay day, const ClockTime& time) {
  return absl::CivilSecond(day.year(), day.month(), day.day(), time.hour, time.minute, time.second);
}

absl::StatusOr<DateOrTime> ParseNumeric(std::string_view text, absl::TimeZone zone) {
  const std::optional<absl::CivilDay> day = NumericDay(text);
  if (!day.has_value()) return NotADate();
  if (text.size() == kDayLength) return Day(*day);
  if (text[kDayLength] != 't' && text[kDayLength] != ' ') return NotADate();
  text.remove_prefix(kDayLength + 1);
  size_t length = 0;
  const std::optional<ClockTime> time = NumericClock(text, &length);
  if (!time.has_value()) return NotADate();
  text.remove_prefix(length);
  if (text.empty()) return Instant(absl::FromCivil(At(*day, *time), zone));
  const std::optional<absl::Duration> offset = Offset(text);
  if (!offset.has_value() || length == 5) return NotADate();
  return Instant(absl::FromCivil(At(*day, *time), absl::UTCTimeZone()) - *offset);
}

// "17:00", "9:30", "9am" or "9:30pm".
std::optional<ClockTime> SpokenClock(std::string_view text) {
  std::optional<bool> afternoon;
  if (text.size() > 2 && text.back() == 'm' && (text[text.size() - 2] == 'a' || text[text.size() - 2] == 'p')) {
    afternoon = text[text.size() - 2] == 'p';
    text.remove_suffix(2);
  }
  const size_t colon = text.find(':');
  const size_t hour_digits = colon == std::string_view::npos ? text.size() : colon;
  if (hour_digits < 1 || hour_digits > 2) return std::nullopt;
  if (colon == std::string_view::npos && !afternoon.has_value()) return std::nullopt;
  const std::optional<int> hour = Digits(text, 0, hour_digits);
  std::optional<int> minute = 0;
  if (colon != std::string_view::npos) {
    if (text.size() != colon + 3) return std::nullopt;
    minute = Digits(text, colon + 1, 2);
  }
  if (!hour.has_value() || !minute.has_value() || *minute > 59) return std::nullopt;
  if (!afternoon.has_value()) return *hour > 23 ? std::nullopt : std::optional<ClockTime>(ClockTime{*hour, *minute, 0});
  if (*hour < 1 || *hour > 12) return std::nullopt;
  return ClockTime{*hour % 12 + (*afternoon ? 12 : 0), *minute, 0};
}

enum class Unit { kMinute, kHour, kDay, kWeek, kMonth, kYear };

std::optional<Unit> UnitOf(std::string_view word) {
  if (word.size() > 1 && word.back() == 's') word.remove_suffix(1);
  constexpr std::array<std::pair<std::string_view, Unit>, 6> kUnits = {{{"minute", Unit::kMinute},
                                                                        {"hour", Unit::kHour},
                                                                        {"day", Unit::kDay},
                                                                        {"week", Unit::kWeek},
                                                                        {"month", Unit::kMonth},
                                                                        {"year", Unit::kYear}}};
  for (const auto& [name, unit] : kUnits) {
    if (name == word) return unit;
  }
  return std::nullopt;
}

std::optional<absl::Weekday> WeekdayOf(std::string_view word) {
  constexpr std::array<std::string_view, 7> kNames = {"monday", "tuesday",  "wednesday", "thursday",
                                                      "friday", "saturday", "sunday"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (word == kNames[i] || word == kNames[i].substr(0, 3)) return static_cast<absl::Weekday>(i);
  }
  return std::nullopt;
}

absl::CivilDay AddMonths(absl::CivilDay day, int64_t months) {
  const absl::CivilMonth month = absl::CivilMonth(day) + months;
  const absl::CivilDay last = absl::CivilDay(month + 1) - 1;
  return std::min(absl::CivilDay(month) + (day.day() - 1), last);
}

// Reads words; `now` and `zone` say what they mean.
class WordReader {
 public:
  WordReader(std::vector<std::string_view> words, absl::Time now, absl::TimeZone zone)
      : words_(std::move(words)), now_(now), zone_(zone), today_(absl::ToCivilDay(now, zone)) {}

  absl::StatusOr<DateOrTime> Read() {
    absl::StatusOr<DateOrTime> date = ReadDay();
    if (!date.ok() || next_ == words_.size()) return date;
    if (date->is_instant) return NotADate();
    if (words_[next_] == "at") ++next_;
    std::string rest;
    while (next_ < words_.size()) absl::StrAppend(&rest, ToAbsl(words_[next_++]));
    const std::optional<ClockTime> time = SpokenClock(rest);
    if (!time.has_value()) return NotADate();
    return Instant(absl::FromCivil(At(date->day, *time), zone_));
  }

 private:
  std::string_view Take() { return next_ < words_.size() ? words_[next_++] : std::string_view(); }

  absl::StatusOr<DateOrTime> ReadDay() {
    const std::string_view first = Take();
    if (first == "now") return Instant(now_);
    if (first == "today") return Day(today_);
    if (first == "tomorrow") return Day(today_ + 1);
    if (first == "yesterday") return Day(today_ - 1);
    if (first.size() > 2 && (first[0] == '+' || first[0] == '-')) return ReadShort(first);
    if (first == "next") return ReadNamed(Take(), 1);
    if (first == "last") return ReadNamed(Take(), -1);
    if (first == "this") return ReadNamed(Take(), 0);
    if (first == "end") return Take() == "of" ? ReadEnd(Take()) : NotADate();
    if (first == "in") {
      const std::optional<int64_t> count = Count(Take());
      return count.has_value() ? Shift(UnitOf(Take()), *count) : NotADate();
    }
    if (WeekdayOf(first).has_value()) return ReadNamed(first, 0);
    const std::optional<int64_t> count = Count(first);
    if (!count.has_value()) return NotADate();
    const std::optional<Unit> unit = UnitOf(Take());
    return Take() == "ago" ? Shift(unit, -*count) : NotADate();
  }

  // "+2w".
  absl::StatusOr<DateOrTime> ReadShort(std::string_view word) const {
    const std::optional<int64_t> count = Count(word.substr(1, word.size() - 2));
    if (!count.has_value() || !absl::ascii_isdigit(word[1])) return NotADate();
    std::optional<Unit> unit;
    switch (word.back()) {
      case 'h':
        unit = Unit::kHour;
        break;
      case 'd':
        unit = Unit::kDay;
        break;
      case 'w':
        unit = Unit::kWeek;
        break;
      case 'm':
        unit = Unit::kMonth;
        break;
      case 'y':
        unit = Unit::kYear;
        break;
      default:
        break;
    }
    return Shift(unit, word[0] == '-' ? -*count : *count);
  }

  // A weekday or unit after "this" (0), "next" (1) or "last" (-1).
  absl::StatusOr<DateOrTime> ReadNamed(std::string_view word, int direction) const {
    if (const std::optional<absl::Weekday> weekday = WeekdayOf(word); weekday.has_value()) {
      if (direction > 0) return Day(absl::NextWeekday(today_, *weekday));
      if (direction < 0) return Day(absl::PrevWeekday(today_, *weekday));
      return Day(absl::GetWeekday(today_) == *weekday ? today_ : absl::NextWeekday(today_, *weekday));
    }
    const std::optional<Unit> unit = UnitOf(word);
    if (direction == 0 || !unit.has_value() || *unit == Unit::kMinute || *unit == Unit::kHour) return NotADate();
    return Shift(unit, direction);
  }

  absl::StatusOr<DateOrTime> ReadEnd(std::string_view word) const {
    if (word == "week") {
      return Day(absl::GetWeekday(today_) == absl::Weekday::sunday ? today_
                                                                   : absl::NextWeekday(today_, absl::Weekday::sunday));
    }
    if (word == "month") return Day(absl::CivilDay(absl::CivilMonth(today_) + 1) - 1);
    if (word == "year") return Day(absl::CivilDay(today_.year(), 12, 31));
    return NotADate();
  }

  absl::StatusOr<DateOrTime> Shift(std::optional<Unit> unit, int64_t count) const {
    if (!unit.has_value()) return NotADate();
    switch (*unit) {
      case Unit::kMinute:
        return Instant(now_ + absl::Minutes(count));
      case Unit::kHour:
        return Instant(now_ + absl::Hours(count));
      case Unit::kDay:
        return Day(today_ + count);
      case Unit::kWeek:
        return Day(today_ + 7 * count);
      case Unit::kMonth:
        return Day(AddMonths(today_, count));
      case Unit::kYear:
        return Day(AddMonths(today_, 12 * count));
    }
    return NotADate();
  }

  std::vector<std::string_view> words_;
  size_t next_ = 0;
  absl::Time now_;
  absl::TimeZone zone_;
  absl::CivilDay today_;
};

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

absl::StatusOr<DateOrTime> ParseDate(std::string_view text, absl::Time now, absl::TimeZone zone) {
  if (text.size() > kMaxText) return NotADate();
  const std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(ToAbsl(text)));
  if (lower.empty()) return NotADate();
  if (NumericDay(lower).has_value()) return ParseNumeric(lower, zone);
  return WordReader(SplitWords(lower), now, zone).Read();
}

std::string FormatDay(absl::CivilDay day) {
  std::array<char, 32> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02d", static_cast<int>(day.year()),
                                   day.month(), day.day());
  return std::string(buffer.data(), static_cast<size_t>(length));
}

std::string FormatInstant(absl::Time instant) {
  const absl::CivilSecond utc = absl::ToCivilSecond(instant, absl::UTCTimeZone());
  std::array<char, 64> buffer;
  const int length =
      std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", static_cast<int>(utc.year()),
                    utc.month(), utc.day(), utc.hour(), utc.minute(), utc.second());
  return std::string(buffer.data(), static_cast<size_t>(length));
}

std::string FormatDate(const DateOrTime& date) {
  return date.is_instant ? FormatInstant(date.instant) : FormatDay(date.day);
}

absl::StatusOr<DateOrTime> ParseStoredDate(std::string_view text) {
  const std::optional<absl::CivilDay> day = NumericDay(text);
  if (!day.has_value()) return NotADate();
  if (text.size() == kDayLength) return Day(*day);
  size_t length = 0;
  if (text.size() != 20 || text[kDayLength] != 'T' || text.back() != 'Z') return NotADate();
  const std::optional<ClockTime> time = NumericClock(text.substr(kDayLength + 1), &length);
  if (!time.has_value() || length != 8) return NotADate();
  return Instant(absl::FromCivil(At(*day, *time), absl::UTCTimeZone()));
}

absl::Time StartOfDay(absl::CivilDay day, absl::TimeZone zone) { return absl::FromCivil(day, zone); }

absl::StatusOr<std::string> ParseClockTime(std::string_view text) {
  std::string word;
  for (const char c : text.substr(0, kMaxText)) {
    if (c != ' ') word += absl::ascii_tolower(static_cast<unsigned char>(c));
  }
  const std::optional<ClockTime> time = SpokenClock(word);
  if (!time.has_value()) return absl::InvalidArgumentError("not a time of day; write HH:MM");
  return absl::StrCat(absl::Dec(time->hour, absl::kZeroPad2), ":", absl::Dec(time->minute, absl::kZeroPad2));
}

}  // namespace toolgate
