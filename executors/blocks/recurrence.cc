#include "executors/blocks/recurrence.h"

#include <libical/ical.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::executors::blocks {
namespace {

constexpr size_t kMaxText = 1'000;
constexpr int kLastYear = 9999;
constexpr int kYearsAhead = 100;  // How far First looks.
constexpr std::array<std::string_view, 7> kWeekdays = {"MO", "TU", "WE", "TH", "FR", "SA", "SU"};
constexpr std::array<std::string_view, 4> kFrequencies = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"};

constexpr absl::CivilDay kEpoch(1970, 1, 1);

int64_t Number(absl::CivilDay day) { return day - kEpoch; }
absl::CivilDay DayOf(int64_t number) { return kEpoch + number; }

// 0 is Monday; 1970-01-01 was a Thursday.
int WeekdayOf(int64_t number) { return static_cast<int>(((number + 3) % 7 + 7) % 7); }

int64_t CeilDivide(int64_t value, int64_t divisor) { return value <= 0 ? 0 : (value + divisor - 1) / divisor; }

std::optional<int> WeekdayFromName(std::string_view name) {
  const auto found = std::find(kWeekdays.begin(), kWeekdays.end(), name);
  if (found == kWeekdays.end()) return std::nullopt;
  return static_cast<int>(found - kWeekdays.begin());
}

std::optional<int> WholeNumber(std::string_view text) {
  if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
  int value = 0;
  if (text.empty() || text.front() == '+' || text.size() > 6 || !absl::SimpleAtoi(ToAbsl(text), &value)) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string DayText(absl::CivilDay day) {
  return absl::StrCat(absl::Dec(day.year(), absl::kZeroPad4), absl::Dec(day.month(), absl::kZeroPad2),
                      absl::Dec(day.day(), absl::kZeroPad2));
}

icaltimetype IcalDay(absl::CivilDay day) {
  icaltimetype time = icaltime_null_date();
  time.hour = time.minute = time.second = 0;  // They were -1, with which libical counts from the day before.
  time.year = static_cast<int>(day.year());
  time.month = day.month();
  time.day = day.day();
  return time;
}

int Rotated(int weekday, int64_t days) { return static_cast<int>(((weekday + days) % 7 + 7) % 7); }

}  // namespace

// ---- Reading and writing --------------------------------------------------------------------------------------------

// Takes one rule apart.
class RecurrenceParser {
 public:
  absl::StatusOr<Recurrence> Parse(std::string_view text) {
    const std::string upper = absl::AsciiStrToUpper(absl::StripAsciiWhitespace(ToAbsl(text)));
    std::string_view rest = upper;
    if (rest.substr(0, 6) == "RRULE:") rest.remove_prefix(6);
    if (text.size() > kMaxText || rest.empty()) return Wrong("must be a rule such as FREQ=WEEKLY;BYDAY=MO,WE");
    if (rest.back() == ';') rest.remove_suffix(1);
    for (const std::string_view part : SplitAt(rest, ';')) RETURN_IF_ERROR(ReadPart(part));
    RETURN_IF_ERROR(CheckWhole());
    Tidy();
    return std::move(rule_);
  }

 private:
  template <typename... Parts>
  static absl::Status Wrong(const Parts&... parts) {
    return absl::InvalidArgumentError(absl::StrCat(parts...));
  }

  absl::Status ReadPart(std::string_view part) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals + 1 == part.size()) {
      return Wrong("must consist of NAME=VALUE parts with semicolons between them");
    }
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) {
      return Wrong("says ", ToAbsl(name.substr(0, 16)), " twice");
    }
    seen_.push_back(name);
    if (name == "FREQ") return ReadFrequency(value);
    if (name == "INTERVAL") return ReadOne(value, 1, Recurrence::kMaxInterval, "INTERVAL", rule_.interval_);
    if (name == "COUNT") {
      int count = 0;
      RETURN_IF_ERROR(ReadOne(value, 1, Recurrence::kMaxCount, "COUNT", count));
      rule_.count_ = count;
      return absl::OkStatus();
    }
    if (name == "UNTIL") return ReadUntil(value);
    if (name == "WKST") {
      const std::optional<int> weekday = WeekdayFromName(value);
      if (!weekday.has_value()) return Wrong("has a WKST that is none of MO, TU, WE, TH, FR, SA, SU");
      rule_.week_start_ = *weekday;
      return absl::OkStatus();
    }
    return ReadBy(name, value);
  }

  absl::Status ReadBy(std::string_view name, std::string_view value) {
    if (name == "BYDAY") return ReadWeekdays(value);
    if (name == "BYMONTHDAY") return ReadList(value, 31, true, "BYMONTHDAY", rule_.by_month_day_);
    if (name == "BYYEARDAY") return ReadList(value, 366, true, "BYYEARDAY", rule_.by_year_day_);
    if (name == "BYWEEKNO") return ReadList(value, 53, true, "BYWEEKNO", rule_.by_week_no_);
    if (name == "BYMONTH") return ReadList(value, 12, false, "BYMONTH", rule_.by_month_);
    if (name == "BYSETPOS") return ReadList(value, 366, true, "BYSETPOS", rule_.by_set_pos_);
    if (name == "BYHOUR" || name == "BYMINUTE" || name == "BYSECOND") {
      return Wrong("has ", ToAbsl(name), ", but an event recurs at most once a day; its time says at what hour");
    }
    if (name == "RSCALE" || name == "SKIP") {
      return Wrong("has ", ToAbsl(name), ", but only the Gregorian calendar is known here; leave it out");
    }
    return Wrong("has the unknown part \"", ToAbsl(name.substr(0, 32)),
                 "\"; known are FREQ, INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYYEARDAY, BYWEEKNO, "
                 "BYSETPOS and WKST");
  }

  absl::Status ReadFrequency(std::string_view value) {
    if (value == "SECONDLY" || value == "MINUTELY" || value == "HOURLY") {
      return Wrong("has FREQ=", ToAbsl(value), ", but an event recurs at most once a day; ", Frequencies());
    }
    const auto found = std::find(kFrequencies.begin(), kFrequencies.end(), value);
    if (found == kFrequencies.end()) return Wrong("has a FREQ that does not exist; ", Frequencies());
    rule_.frequency_ = static_cast<Recurrence::Frequency>(found - kFrequencies.begin());
    has_frequency_ = true;
    return absl::OkStatus();
  }

  static std::string Frequencies() { return "write FREQ=DAILY, WEEKLY, MONTHLY or YEARLY"; }

  static absl::Status ReadOne(std::string_view value, int64_t min, int64_t max, std::string_view name, int& out) {
    const std::optional<int> number = WholeNumber(value);
    if (!number.has_value() || *number < min || *number > max) {
      return Wrong("has a ", ToAbsl(name), " that is not a whole number from ", min, " to ", max);
    }
    out = *number;
    return absl::OkStatus();
  }

  static absl::Status ReadList(std::string_view value, int max, bool negative, std::string_view name,
                               std::vector<int>& out) {
    for (const std::string_view item : SplitAt(value, ',')) {
      const std::optional<int> number = WholeNumber(item);
      if (!number.has_value() || *number == 0 || *number > max || *number < (negative ? -max : 1)) {
        return Wrong("has a ", ToAbsl(name), " that is not a list of numbers from 1 to ", max,
                     negative ? absl::StrCat(", or from -1 to -", max, " to count from the end") : "");
      }
      out.push_back(*number);
    }
    return absl::OkStatus();
  }

  absl::Status ReadWeekdays(std::string_view value) {
    for (const std::string_view item : SplitAt(value, ',')) {
      const std::optional<int> weekday = item.size() < 2 ? std::nullopt : WeekdayFromName(item.substr(item.size() - 2));
      const std::string_view ordinal = item.substr(0, item.size() < 2 ? 0 : item.size() - 2);
      const std::optional<int> number = ordinal.empty() ? std::optional(0) : WholeNumber(ordinal);
      const bool good_ordinal = ordinal.empty() || (number.has_value() && *number != 0 && std::abs(*number) <= 53);
      if (!weekday.has_value() || !good_ordinal) {
        return Wrong(
            "has a BYDAY that is not a list of MO, TU, WE, TH, FR, SA, SU, each perhaps with a number before "
            "it (2TU, -1FR)");
      }
      rule_.by_day_.push_back({*number, *weekday});
    }
    return absl::OkStatus();
  }

  absl::Status ReadUntil(std::string_view value) {
    const auto digits = [](std::string_view text) {
      return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    std::string_view time = value.substr(std::min<size_t>(value.size(), 8));
    if (!time.empty() && time.back() == 'Z') time.remove_suffix(1);
    const bool good_time = time.empty() || (time.size() == 7 && time[0] == 'T' && digits(time.substr(1)));
    absl::CivilDay day;
    bool good_day = false;
    if (value.size() >= 8 && digits(value.substr(0, 8))) {
      const int year = *WholeNumber(value.substr(0, 4));
      const int month = *WholeNumber(value.substr(4, 2));
      const int month_day = *WholeNumber(value.substr(6, 2));
      day = absl::CivilDay(year, month, month_day);
      good_day = year > 0 && day.month() == month && day.day() == month_day;
    }
    if (!good_day || !good_time) {
      return Wrong("has an UNTIL that is not a day that exists, written as YYYYMMDD (20261231)");
    }
    rule_.until_ = day;
    return absl::OkStatus();
  }

  // What RFC 5545, 3.3.10 forbids.
  absl::Status CheckWhole() const {
    using Frequency = Recurrence::Frequency;
    if (!has_frequency_) return Wrong("has no FREQ; ", Frequencies());
    if (rule_.count_ > 0 && rule_.until_.has_value()) return Wrong("has both COUNT and UNTIL; give one of them");
    const Frequency frequency = rule_.frequency_;
    const bool ordinals =
        std::any_of(rule_.by_day_.begin(), rule_.by_day_.end(), [](const auto& day) { return day.ordinal != 0; });
    if (ordinals && (frequency == Frequency::kDaily || frequency == Frequency::kWeekly)) {
      return Wrong("has numbers in BYDAY, which only FREQ=MONTHLY and YEARLY can have");
    }
    if (ordinals && !rule_.by_week_no_.empty()) return Wrong("has numbers in BYDAY beside BYWEEKNO; leave one out");
    if (!rule_.by_month_day_.empty() && frequency == Frequency::kWeekly) {
      return Wrong("has BYMONTHDAY, which FREQ=WEEKLY cannot have; use FREQ=MONTHLY");
    }
    if (!rule_.by_year_day_.empty() && frequency != Frequency::kYearly) {
      return Wrong("has BYYEARDAY, which only FREQ=YEARLY can have");
    }
    if (!rule_.by_week_no_.empty() && frequency != Frequency::kYearly) {
      return Wrong("has BYWEEKNO, which only FREQ=YEARLY can have");
    }
    const bool other_parts = !rule_.by_day_.empty() || !rule_.by_month_day_.empty() || !rule_.by_year_day_.empty() ||
                             !rule_.by_week_no_.empty() || !rule_.by_month_.empty();
    if (!rule_.by_set_pos_.empty() && !other_parts) return Wrong("has BYSETPOS, which needs another BY part beside it");
    return absl::OkStatus();
  }

  template <typename T, typename Less>
  static void SortUnique(std::vector<T>& list, Less less) {
    std::stable_sort(list.begin(), list.end(), less);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  // One text for rules that are alike.
  void Tidy() {
    for (std::vector<int>* list :
         {&rule_.by_month_day_, &rule_.by_year_day_, &rule_.by_week_no_, &rule_.by_month_, &rule_.by_set_pos_}) {
      SortUnique(*list, std::less<>());
    }
    // Only here does it matter with which day a week begins.
    const bool fortnights =
        rule_.frequency_ == Recurrence::Frequency::kWeekly && rule_.interval_ > 1 && !rule_.by_day_.empty();
    if (!fortnights && rule_.by_week_no_.empty()) rule_.week_start_ = 0;
    SortUnique(rule_.by_day_, [first = rule_.week_start_](const auto& a, const auto& b) {
      return std::pair(Rotated(a.weekday, -first), a.ordinal) < std::pair(Rotated(b.weekday, -first), b.ordinal);
    });
  }

  Recurrence rule_;
  std::vector<std::string_view> seen_;
  bool has_frequency_ = false;
};

absl::StatusOr<Recurrence> Recurrence::Parse(std::string_view text) { return RecurrenceParser().Parse(text); }

std::string Recurrence::ToString() const {
  std::string text = absl::StrCat("FREQ=", ToAbsl(kFrequencies[static_cast<size_t>(frequency_)]));
  if (until_.has_value()) absl::StrAppend(&text, ";UNTIL=", DayText(*until_));
  if (count_ > 0) absl::StrAppend(&text, ";COUNT=", count_);
  if (interval_ > 1) absl::StrAppend(&text, ";INTERVAL=", interval_);
  if (!by_day_.empty()) {
    absl::StrAppend(&text, ";BYDAY=", absl::StrJoin(by_day_, ",", [](std::string* out, const WeekdayRule& day) {
      if (day.ordinal != 0) absl::StrAppend(out, day.ordinal);
      absl::StrAppend(out, ToAbsl(kWeekdays[static_cast<size_t>(day.weekday)]));
    }));
  }
  const auto list = [&text](std::string_view name, const std::vector<int>& values) {
    if (!values.empty()) absl::StrAppend(&text, ";", ToAbsl(name), "=", absl::StrJoin(values, ","));
  };
  list("BYMONTHDAY", by_month_day_);
  list("BYYEARDAY", by_year_day_);
  list("BYWEEKNO", by_week_no_);
  list("BYMONTH", by_month_);
  list("BYSETPOS", by_set_pos_);
  if (week_start_ != 0) absl::StrAppend(&text, ";WKST=", ToAbsl(kWeekdays[static_cast<size_t>(week_start_)]));
  return text;
}

Recurrence Recurrence::WithCount(int64_t count) const {
  Recurrence rule = *this;
  rule.until_.reset();
  rule.count_ = count;
  return rule;
}

Recurrence Recurrence::WithUntil(absl::CivilDay until) const {
  Recurrence rule = *this;
  rule.count_ = 0;
  rule.until_ = until;
  return rule;
}

// ---- Expanding ------------------------------------------------------------------------------------------------------

bool Recurrence::HasParts() const {
  return !by_day_.empty() || !by_month_day_.empty() || !by_year_day_.empty() || !by_week_no_.empty() ||
         !by_month_.empty() || !by_set_pos_.empty();
}

Recurrence::Shape Recurrence::ShapeOf() const {
  if (!by_set_pos_.empty() || !by_year_day_.empty() || !by_week_no_.empty()) return Shape::kOther;
  const bool only_weekdays = by_month_.empty() && by_month_day_.empty();
  switch (frequency_) {
    case Frequency::kDaily:
      return HasParts() ? Shape::kOther : Shape::kDays;
    case Frequency::kWeekly:
      return only_weekdays ? Shape::kWeeks : Shape::kOther;
    case Frequency::kMonthly:
      return by_day_.empty() || by_month_day_.empty() ? Shape::kMonths : Shape::kOther;
    case Frequency::kYearly:
      // Without BYMONTH, days of the month count in every month, and numbered weekdays within the year.
      if (!HasParts()) return Shape::kMonths;
      return !by_month_.empty() && (by_day_.empty() || by_month_day_.empty()) ? Shape::kMonths : Shape::kOther;
  }
  return Shape::kOther;
}

void Recurrence::Visit(absl::CivilDay start, absl::CivilDay from, absl::CivilDay to,
                       absl::FunctionRef<bool(absl::CivilDay)> visit) const {
  from = std::max(from, start);
  to = std::min(to, until_.value_or(absl::CivilDay(kLastYear, 12, 31)));
  if (to < from) return;
  const auto visit_number = [&visit](int64_t number) { return visit(DayOf(number)); };
  switch (ShapeOf()) {
    case Shape::kDays:
      return VisitDays(Number(start), Number(from), Number(to), visit_number);
    case Shape::kWeeks:
      return VisitWeeks(Number(start), Number(from), Number(to), visit_number);
    case Shape::kMonths:
      return VisitMonths(Number(start), Number(from), Number(to), visit_number);
    case Shape::kOther:
      return VisitOther(start, from, to, visit);
  }
}

void Recurrence::VisitDays(int64_t start, int64_t from, int64_t to, VisitNumber visit) const {
  for (int64_t day = start + CeilDivide(from - start, interval_) * interval_; day <= to; day += interval_) {
    if (!visit(day)) return;
  }
}

void Recurrence::VisitWeeks(int64_t start, int64_t from, int64_t to, VisitNumber visit) const {
  // Bit d: d days after the week's first.
  uint32_t days = 0;
  for (const WeekdayRule& day : by_day_) days |= 1u << Rotated(day.weekday, -week_start_);
  const int offset = Rotated(WeekdayOf(start), -week_start_);
  if (by_day_.empty()) days = 1u << offset;
  const int64_t first_week = start - offset;
  const int64_t step = int64_t{7} * interval_;
  const int64_t skipped = std::max<int64_t>((from - first_week) / step, 0);
  for (int64_t week = first_week + skipped * step; week <= to; week += step) {
    for (uint32_t left = days; left != 0; left &= left - 1) {
      const int64_t day = week + std::countr_zero(left);
      if (day < from) continue;
      if (day > to || !visit(day)) return;
    }
  }
}

bool Recurrence::TakesMonth(int month, int start_month) const {
  if (!by_month_.empty()) return std::find(by_month_.begin(), by_month_.end(), month) != by_month_.end();
  return frequency_ == Frequency::kMonthly || month == start_month;
}

uint32_t Recurrence::DaysOfMonth(int64_t first_day, int length, int start_day) const {
  uint32_t days = 0;
  const auto add = [&](int day) {
    if (day >= 1 && day <= length) days |= 1u << day;
  };
  if (by_day_.empty() && by_month_day_.empty()) add(start_day);
  for (const int day : by_month_day_) add(day > 0 ? day : length + 1 + day);
  for (const WeekdayRule& rule : by_day_) {
    const int first = 1 + Rotated(rule.weekday, -WeekdayOf(first_day));
    if (rule.ordinal > 0) {
      add(first + 7 * (rule.ordinal - 1));
    } else if (rule.ordinal < 0) {
      const int last = first + (length - first) / 7 * 7;
      add(last + 7 * (rule.ordinal + 1));
    } else {
      for (int day = first; day <= length; day += 7) add(day);
    }
  }
  return days;
}

void Recurrence::VisitMonths(int64_t start, int64_t from, int64_t to, VisitNumber visit) const {
  const absl::CivilDay start_day = DayOf(start);
  const absl::CivilDay from_day = DayOf(from);
  const absl::CivilMonth last(DayOf(to));
  // The periods are months, or years that begin in January.
  const int64_t months = frequency_ == Frequency::kYearly ? 12 : 1;
  const absl::CivilMonth origin = months == 12 ? absl::CivilMonth(start_day.year(), 1) : absl::CivilMonth(start_day);
  const int64_t step = months * interval_;
  const int64_t skipped = (absl::CivilMonth(from_day) - origin) / step;
  for (absl::CivilMonth period = origin + skipped * step; period <= last; period += step) {
    for (absl::CivilMonth month = period; month < period + months && month <= last; ++month) {
      if (!TakesMonth(month.month(), start_day.month())) continue;
      const int64_t first_day = Number(absl::CivilDay(month));
      const int length = static_cast<int>(absl::CivilDay(month + 1) - absl::CivilDay(month));
      for (uint32_t left = DaysOfMonth(first_day, length, start_day.day()); left != 0; left &= left - 1) {
        const int64_t day = first_day + std::countr_zero(left) - 1;
        if (day < from) continue;
        if (day > to || !visit(day)) return;
      }
    }
  }
}

void Recurrence::VisitOther(absl::CivilDay start, absl::CivilDay from, absl::CivilDay to,
                            absl::FunctionRef<bool(absl::CivilDay)> visit) const {
  // libical ends at `to`, rather than looking for the next day of a rule that has none for years.
  icalrecurrencetype rule = icalrecurrencetype_from_string(WithUntil(to).ToString().c_str());
  icalrecur_iterator* const iterator = icalrecur_iterator_new(rule, IcalDay(start));
  if (iterator != nullptr) {
    if (from > start) icalrecur_iterator_set_start(iterator, IcalDay(from));
    while (true) {
      const icaltimetype next = icalrecur_iterator_next(iterator);
      if (icaltime_is_null_time(next)) break;
      const absl::CivilDay day(next.year, next.month, next.day);
      if (day < from) continue;
      if (day > to || !visit(day)) break;
    }
    icalrecur_iterator_free(iterator);
  }
  icalrecurrencetype_clear(&rule);
}

std::optional<absl::CivilDay> Recurrence::First(absl::CivilDay start) const {
  std::optional<absl::CivilDay> first;
  const absl::CivilDay end = start + int64_t{366} * kYearsAhead;
  Visit(start, start, end, [&](absl::CivilDay day) {
    first = day;
    return false;
  });
  return first;
}

std::optional<absl::CivilDay> Recurrence::Last(absl::CivilDay start) const {
  std::optional<absl::CivilDay> last;
  if (count_ > 0) {
    int64_t seen = 0;
    Visit(start, start, absl::CivilDay(kLastYear, 12, 31), [&](absl::CivilDay day) {
      last = day;
      return ++seen < count_;
    });
    return last;
  }
  if (!until_.has_value()) return std::nullopt;
  // Backwards from the end, in windows that grow.
  absl::CivilDay to = *until_;
  for (int64_t width = 62; to >= start && !last.has_value(); width *= 4) {
    Visit(start, to - width, to, [&](absl::CivilDay day) {
      last = day;
      return true;
    });
    to -= width + 1;
  }
  return last;
}

bool Recurrence::Has(absl::CivilDay start, absl::CivilDay day) const {
  bool found = false;
  Visit(start, day, day, [&](absl::CivilDay) {
    found = true;
    return false;
  });
  return found && (count_ == 0 || CountBefore(start, day) < count_);
}

int64_t Recurrence::CountBefore(absl::CivilDay start, absl::CivilDay day) const {
  int64_t seen = 0;
  Visit(start, start, day - 1, [&](absl::CivilDay) { return ++seen < kMaxCount; });
  return seen;
}

// ---- Shifting -------------------------------------------------------------------------------------------------------

// What the shifted rule would be if it can be said at all.
Recurrence Recurrence::ShiftedParts(absl::CivilDay start, int64_t days) const {
  Recurrence rule = *this;
  if (until_.has_value()) rule.until_ = *until_ + days;
  if (frequency_ == Frequency::kWeekly && interval_ > 1 && !by_day_.empty()) {
    rule.week_start_ = Rotated(week_start_, days);
  }
  for (WeekdayRule& day : rule.by_day_) {
    if (day.ordinal != 0 && days % 7 == 0) day.ordinal += static_cast<int>(days / 7);
    if (day.ordinal == 0) day.weekday = Rotated(day.weekday, days);
  }
  const absl::CivilDay moved = start + days;
  const bool one_day_of_one_month =
      by_month_.size() == 1 && by_month_[0] == start.month() && by_month_day_.size() == 1 && by_month_day_[0] > 0;
  if (one_day_of_one_month) rule.by_month_day_ = {moved.day()};
  if (by_month_.size() == 1 && by_month_[0] == start.month()) rule.by_month_ = {moved.month()};
  if (one_day_of_one_month) return rule;
  for (int& day : rule.by_month_day_) {
    // The day before the first is the last of the month before, -1, and the other way round: there is no day 0.
    const int shifted = day + static_cast<int>(std::clamp<int64_t>(days, -400, 400));
    const bool passes = day > 0 ? shifted <= 0 : shifted >= 0;
    day = passes ? shifted + (day > 0 ? -1 : 1) : shifted;
  }
  return rule;
}

std::optional<Recurrence> Recurrence::Shifted(absl::CivilDay start, int64_t days) const {
  if (days == 0) return *this;
  const absl::StatusOr<Recurrence> candidate = Parse(ShiftedParts(start, days).ToString());
  if (!candidate.ok()) return std::nullopt;  // A thirty-second of the month, say.
  // Long enough for leap years, and no longer than libical is quick.
  const bool quick = ShapeOf() != Shape::kOther;
  const absl::CivilDay end =
      std::min(start + (quick ? 366 * 40 : 366 * 12), Last(start).value_or((absl::CivilDay::max)()));
  std::vector<absl::CivilDay> wanted;
  Visit(start, start, end, [&](absl::CivilDay day) {
    wanted.push_back(day + days);
    return true;
  });
  size_t next = 0;
  bool same = true;
  candidate->Visit(start + days, start + days, end + days, [&](absl::CivilDay day) {
    same = next < wanted.size() && wanted[next] == day;
    ++next;
    return same;
  });
  if (!same || next != wanted.size()) return std::nullopt;
  return *candidate;
}

}  // namespace toolgate::executors::blocks
